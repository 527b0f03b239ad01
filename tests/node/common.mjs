/** What the tests share: scratch folders, a hermetic git, processes with their endings, and histories. */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { inRoot } from "../../scripts/lib/project.mjs";

const record = inRoot("target", "okstra-build.json");
if (!existsSync(record)) throw new Error("okstra is not built: run `npm run build` first");

/** The addon and the executable of the last build. @type {{ addon: string, executable: string }} */
export const built = JSON.parse(readFileSync(record, "utf8"));

/** The dispatcher of this checkout. */
export const dispatcher = inRoot("bin", "okstra");

/** The caller's environment without what would steer git, npm, Node or okstra. */
export const environment = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(GIT_|npm_|NODE_|OKSTRA_|XDG_|NO_COLOR|FORCE_COLOR)/i.test(name))),
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: process.platform === "win32" ? "NUL" : "/dev/null",
  GIT_AUTHOR_NAME: "Author",
  GIT_AUTHOR_EMAIL: "author@example.com",
  GIT_AUTHOR_DATE: "2024-01-01T00:00:00Z",
  GIT_COMMITTER_NAME: "Committer",
  GIT_COMMITTER_EMAIL: "committer@example.com",
  GIT_COMMITTER_DATE: "2024-01-01T00:00:00Z",
};

/** A folder that is removed when the test ends. @param {import("node:test").TestContext} t */
export function scratch(t) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "okstra node ")));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * @typedef {{ code: number | null, signal: string | null, stdout: string, stderr: string }} Ending
 *
 * @param {string} command
 * @param {string[]} args
 * @param {import("node:child_process").SpawnOptions} [options]
 * @returns {{ child: import("node:child_process").ChildProcess, ended: Promise<Ending> }}
 */
export function start(command, args, options = {}) {
  const child = spawn(command, args, { env: environment, stdio: ["ignore", "pipe", "pipe"], ...options });
  const output = { stdout: "", stderr: "" };
  child.stdout?.setEncoding("utf8").on("data", (chunk) => (output.stdout += chunk));
  child.stderr?.setEncoding("utf8").on("data", (chunk) => (output.stderr += chunk));
  const ended = new Promise((resolve, reject) => {
    child.once("error", reject).once("close", (code, signal) => resolve({ code, signal, ...output }));
  });
  return { child, ended };
}

/** Runs a program to its end. @param {string} command @param {string[]} args @param {import("node:child_process").SpawnOptions} [options] */
export const run = (command, args, options) => start(command, args, options).ended;

/** Runs `bin/okstra` to its end. @param {string[]} args @param {import("node:child_process").SpawnOptions} [options] */
export const okstra = (args, options) => run(process.execPath, [dispatcher, ...args], options);

/** @param {string} cwd @param {...string} args */
export function git(cwd, ...args) {
  const { status, stdout, stderr, error } = spawnSync("git", args, { cwd, env: environment, encoding: "utf8" });
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${error?.message ?? stderr}`);
  return stdout.trim();
}

/** @param {string} repository @param {Record<string, string>} files @returns {string} the new commit */
export function commit(repository, files) {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(repository, name)), { recursive: true });
    writeFileSync(join(repository, name), content);
    git(repository, "add", "--", name);
  }
  git(repository, "commit", "-q", "-m", `change ${Object.keys(files).join(", ")}`);
  return git(repository, "rev-parse", "HEAD");
}

/**
 * A repository whose main branch goes on after branches were merged, squashed, rebased and left open.
 *
 * @param {string} folder made by this function
 */
export function history(folder) {
  mkdirSync(folder, { recursive: true });
  git(folder, "init", "-q", "-b", "main");
  const base = commit(folder, { "base.txt": "one\ntwo\nthree\n" });
  /** @type {Record<string, string>} */
  const tips = {};
  for (const name of ["merged", "squashed", "rebased", "open", "reverted"]) {
    git(folder, "checkout", "-q", "-b", name, base);
    commit(folder, { [`${name}/one.txt`]: `first of ${name}\n` });
    tips[name] = commit(folder, { [`${name}/two.txt`]: `second of ${name}\n` });
  }
  git(folder, "checkout", "-q", "main");
  commit(folder, { "drift.txt": "drift\n" });
  git(folder, "merge", "-q", "--no-ff", "-m", "merge it", "merged");
  git(folder, "merge", "-q", "--squash", "squashed");
  git(folder, "commit", "-q", "-m", "squash it");
  git(folder, "cherry-pick", `${base}..${tips.rebased}`);
  git(folder, "cherry-pick", `${base}..${tips.reverted}`);
  git(folder, "revert", "--no-edit", "HEAD", "HEAD~1");
  commit(folder, { "later.txt": "later\n" });
  return { folder, base, tips };
}

/**
 * A repository where the search for a branch's content takes seconds: every commit of main changes the file that the
 * branch changes, and each could be its landing.
 *
 * @param {string} folder made by this function
 * @param {number} commits
 * @returns {{ folder: string, stage: string }}
 */
export function longHistory(folder, commits) {
  mkdirSync(folder, { recursive: true });
  git(folder, "init", "-q", "-b", "main");
  const lines = Array.from({ length: 2000 }, (_, index) => `line ${index}`);
  // What the branch adds stands in the file already, so that no look at the lines can spare the merges.
  lines.push("changed by the stage");
  /** @type {string[]} */
  const parts = [];
  const write = (/** @type {string} */ ref, /** @type {string[]} */ content, /** @type {string} */ from) => {
    const text = `${content.join("\n")}\n`;
    parts.push(`commit ${ref}\ncommitter C <c@example.com> ${1_700_000_000 + parts.length} +0000\ndata 1\nx\n${from}`);
    parts.push(`M 100644 inline file.txt\ndata ${Buffer.byteLength(text)}\n${text}\n`);
  };
  write("refs/heads/main", lines, "");
  write("refs/heads/stage", lines.with(0, "changed by the stage"), "from refs/heads/main\n");
  for (let index = 0; index < commits; index++) {
    const place = 10 + (index % 1900);
    lines[place] = `line ${place}, changed ${index}`;
    write("refs/heads/main", lines, "");
  }
  const { status, stderr } = spawnSync("git", ["fast-import", "--quiet"], { cwd: folder, env: environment, input: parts.join("") });
  if (status !== 0) throw new Error(`git fast-import: ${stderr}`);
  return { folder, stage: git(folder, "rev-parse", "stage") };
}
