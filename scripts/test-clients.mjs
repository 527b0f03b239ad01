/**
 * `npm run test:clients [-- --if-installable]`: okstra, installed from its packed packages, seen by the real command
 * lines of Claude Code, Codex and Gemini. They come from npm, in the versions of tests-clients/package-lock.json, and
 * talk to a server of this project on the loopback address, to no other machine. Where they cannot be installed it
 * says so and fails; with --if-installable it says so and passes.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { agree } from "./lib/dependencies.mjs";
import { inRoot, npm, Problem, readJson, script } from "./lib/project.mjs";

const source = inRoot("tests-clients");
const folder = inRoot("target", "clients");

/** Whether the clients of the lock file are in `folder`, and start. */
function areThere() {
  const hidden = join(folder, "node_modules", ".package-lock.json");
  if (!existsSync(hidden) || !agree(readJson(join(source, "package-lock.json")).packages, readJson(hidden).packages)) return false;
  return ["claude", "codex", "gemini"].every((name) => starts(name));
}

/** @param {string} name */
function starts(name) {
  const file = join(folder, "node_modules", ".bin", name);
  return spawnSync(file, ["--version"], { stdio: "ignore", shell: process.platform === "win32" }).status === 0;
}

/**
 * Installs the clients without the install scripts of what they depend on; only Claude Code needs its own, which puts
 * its program in place.
 *
 * @returns {string | null} why they cannot be had here
 */
function install() {
  if (areThere()) return null;
  mkdirSync(folder, { recursive: true });
  for (const file of ["package.json", "package-lock.json"]) copyFileSync(join(source, file), join(folder, file));
  console.error("installing the clients (npm ci)");
  const { status, error } = npm(["ci", "--ignore-scripts"], { cwd: folder, stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0) return `npm ci failed${error === undefined ? "" : `: ${error.message}`}`;
  const place = join("node_modules", "@anthropic-ai", "claude-code", "install.cjs");
  spawnSync(process.execPath, [place], { cwd: folder, stdio: ["ignore", "inherit", "inherit"] });
  return areThere() ? null : "one of them does not start on this machine";
}

/** @param {string[]} args */
function node(args) {
  return spawnSync(process.execPath, args, { cwd: inRoot(), stdio: ["ignore", "inherit", "inherit"] }).status === 0;
}

await script(() => {
  const { values } = parseArgs({ options: { "if-installable": { type: "boolean", default: false } } });
  const reason = install();
  if (reason !== null) {
    const message = `the real clients were not tried: ${reason}`;
    if (!values["if-installable"]) throw new Problem(message, "npm and its registry are needed for this, once");
    console.log(message);
    return;
  }
  if (!node(["scripts/pack.mjs", "--profile", "dev"])) throw new Problem("okstra could not be packed");
  const tests = readdirSync(source).filter((name) => name.endsWith(".test.mjs"));
  const passed = node(["--test", "--test-reporter=spec", "--test-concurrency=1", ...tests.map((name) => join("tests-clients", name))]);
  if (!passed) process.exitCode = 1;
});
