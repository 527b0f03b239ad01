/** What the tests with real clients share: a machine with nothing on it, okstra installed there from its packages. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { inRoot } from "../scripts/lib/project.mjs";
import { run } from "../tests/node/common.mjs";

export const clients = inRoot("target", "clients", "node_modules", ".bin");
if (!existsSync(clients)) throw new Error("the clients are not installed: run `npm run test:clients`");

/** The skills that ship, and so what each client has to list. */
export const shipped = ["okstra-run", "okstra-status"];

/**
 * @typedef {object} Machine
 * @property {string} home an empty home folder
 * @property {string} project a repository with one commit
 * @property {Record<string, string>} env of every process: the clients on PATH, no other machine to be reached
 */

/** @param {string} folder @param {string} api where the server listens @returns {Promise<Machine>} */
export async function machine(folder, api) {
  const home = join(folder, "home");
  const project = join(folder, "shop");
  const nowhere = "http://127.0.0.1:9";
  for (const name of [home, project, join(home, ".codex"), join(home, ".gemini"), join(folder, "tmp")]) mkdirSync(name, { recursive: true });
  const env = {
    HOME: home,
    TMPDIR: join(folder, "tmp"),
    PATH: [clients, process.env.PATH].join(delimiter),
    LC_ALL: "C.UTF-8",
    TERM: "dumb",
    SHELL: "/bin/bash",
    ...Object.fromEntries(["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"].map((name) => [name, nowhere])),
    no_proxy: "127.0.0.1,localhost",
    NO_PROXY: "127.0.0.1,localhost",
    npm_config_cache: join(folder, "npm-cache"),
    npm_config_userconfig: join(folder, "npmrc"),
    npm_config_update_notifier: "false",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_AUTHOR_NAME: "Author",
    GIT_AUTHOR_EMAIL: "author@example.com",
    GIT_COMMITTER_NAME: "Committer",
    GIT_COMMITTER_EMAIL: "committer@example.com",
    ANTHROPIC_BASE_URL: api,
    ANTHROPIC_API_KEY: "sk-ant-none",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    GEMINI_API_KEY: "none",
    GOOGLE_GEMINI_BASE_URL: api,
    GEMINI_CLI_TRUST_WORKSPACE: "true",
  };
  const gemini = { security: { auth: { selectedType: "gemini-api-key" } }, privacy: { usageStatisticsEnabled: false }, general: { enableAutoUpdate: false } };
  writeFileSync(join(home, ".gemini", "settings.json"), JSON.stringify(gemini));
  await succeed("git", ["init", "--quiet", "--initial-branch=main", project], { env });
  await succeed("git", ["commit", "--quiet", "--allow-empty", "--message=begin"], { env, cwd: project });
  return { home, project, env };
}

/** Installs okstra with `npx` from the packed packages, served by a registry that has nothing else. @param {Machine} machine */
export async function installOkstra({ home, env }) {
  const registry = spawn(process.execPath, [inRoot("tests-e2e", "registry.mjs"), inRoot("target", "pack"), join(home, "..", "requests")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const address = await new Promise((resolve) => registry.stdout.setEncoding("utf8").once("data", (text) => resolve(text.trim())));
    const args = ["-y", "okstra@latest", "install", "--target", "claude,codex,gemini", "--yes"];
    await succeed("npx", args, { cwd: home, env: { ...env, npm_config_registry: address } });
  } finally {
    registry.kill();
  }
}

/** Runs a program that must end with 0, and returns what it printed. @param {string} command @param {string[]} args @param {import("node:child_process").SpawnOptions} options */
export async function succeed(command, args, options) {
  const { code, signal, stdout, stderr } = await run(command, args, options);
  if (code !== 0) throw new Error(`\`${command} ${args.join(" ")}\` ended with ${code ?? signal}\n${stdout}\n${stderr}`);
  return stdout;
}
