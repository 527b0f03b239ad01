/** Installing through every door: the same documents, the same files, the same refusals. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { completions, install, uninstall } from "okstra";
import { built, dispatcher, environment, git, run, scratch } from "./common.mjs";

/** @typedef {import("node:test").TestContext} Test */
/** @typedef {{ name: string, call: (home: string, command: string, options: Record<string, any>) => Promise<any> }} Door */

/** What install and uninstall take, as options and as arguments. @param {Record<string, any>} options */
function args(options) {
  return Object.entries(options).flatMap(([name, value]) => {
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return value === true ? [flag] : [flag, Array.isArray(value) ? value.join(",") : value];
  });
}

/** @param {string} home */
function machine(home) {
  /** @type {Record<string, string | undefined>} */
  const env = { ...environment, HOME: home, USERPROFILE: home, SHELL: "/bin/bash" };
  for (const name of ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME"]) delete env[name];
  return env;
}

/** @param {string} program @param {string[]} first @returns {Door["call"]} */
const typed = (program, first) => async (home, command, options) => {
  const { stdout, stderr } = await run(program, [...first, command, ...args(options), "--json"], { env: machine(home) });
  assert.equal(stderr, "");
  return JSON.parse(stdout);
};

/** The functions, in the environment of that machine. @type {Door["call"]} */
async function called(home, command, options) {
  const before = { ...process.env };
  const env = machine(home);
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  try {
    const door = /** @type {(options: any) => Promise<any>} */ ({ install, uninstall }[command]);
    return await door(options).catch((error) => ({ error: error.message, code: error.code, hint: error.hint ?? null }));
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  }
}

/** @type {Door[]} */
const doors = [
  { name: "executable", call: typed(built.executable, []) },
  { name: "bin/okstra", call: typed(process.execPath, [dispatcher]) },
  { name: "function", call: called },
];

/** @param {unknown} document @param {string} folder */
const plain = (document, folder) => JSON.parse(JSON.stringify(document).replaceAll(JSON.stringify(folder).slice(1, -1), "ROOT"));

/** @param {string} folder */
const files = (folder) => readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name).slice(folder.length)).sort();

test("the same story through every door", async (t) => {
  const stories = [];
  for (const { name, call } of doors) {
    const folder = scratch(t);
    const [home, shop] = [join(folder, "home"), join(folder, "shop")];
    mkdirSync(join(home, ".codex"), { recursive: true });
    mkdirSync(shop);
    git(shop, "init", "-q");
    /** @type {any[]} */
    const story = [];
    const step = async (/** @type {string} */ command, /** @type {Record<string, any>} */ options) => story.push(plain(await call(home, command, options), folder));
    await step("install", {});
    await step("install", { target: ["cursor"], yes: true });
    await step("install", { target: ["claude", "codex"], dryRun: true });
    await step("install", { target: ["claude", "codex"], yes: true });
    await step("install", {});
    await step("install", { project: true, projectRoot: shop, yes: true });
    story.push(files(home), files(join(shop, ".claude")));
    writeFileSync(join(home, ".claude", "skills", "okstra-status", "SKILL.md"), "mine\n");
    await step("install", { yes: true });
    await step("uninstall", { dryRun: true });
    await step("uninstall", {});
    await step("uninstall", { yes: true });
    await step("uninstall", { purge: true, yes: true });
    story.push(files(home));
    assert.ok(!existsSync(join(home, ".okstra")), name);
    stories.push(story);
  }
  const [first] = stories;
  assert.deepEqual([first[0].code, first[1].code, first[3].changed, first[4].changed], ["confirmation-needed", "unknown-target", true, false]);
  assert.equal(first[5].project.permissions.added.includes("Bash(okstra status:*)"), true);
  assert.deepEqual(first.at(-1), ["/.claude/skills/okstra-status/SKILL.md"]);
  assert.deepEqual(stories[1], first);
  assert.deepEqual(stories[2], first);
});

test("the executable that Node installs is the one of its own build", async (t) => {
  const home = scratch(t);
  await doors[1].call(home, "install", { target: ["claude"], yes: true });
  const installed = join(home, ".okstra", "bin", built.executable.endsWith(".exe") ? "okstra.exe" : "okstra");
  assert.ok(readFileSync(installed).equals(readFileSync(built.executable)));
  const { stdout } = spawnSync(installed, ["--version"], { encoding: "utf8" });
  assert.equal(stdout, (await run(process.execPath, [dispatcher, "--version"])).stdout);
});

test("completions are the same through every door", async () => {
  const executed = await run(built.executable, ["completions", "zsh", "--json"]);
  const dispatched = await run(process.execPath, [dispatcher, "completions", "zsh", "--json"]);
  const document = await completions({ shell: "zsh" });
  assert.deepEqual(JSON.parse(executed.stdout), document);
  assert.equal(dispatched.stdout, executed.stdout);
  await assert.rejects(completions({ shell: /** @type {any} */ ("tcsh") }), { code: "usage" });
});
