#!/usr/bin/env node
// The benchmark: builds in release mode, measures okstra against its peers in the same run, shows the tables.
// Exit code 0 when everything that was measured reached its target, 2 when something did not, 1 for an error.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { BenchError, endProgress, firstLine, git, progress, watch } from "./environment.mjs";
import { GROUPS, REPO_GROUP } from "./groups.mjs";
import { oneOf, parse, report, usageError, wholeNumber } from "./options.mjs";
import { describeMachine, openReadme, textReport } from "./report.mjs";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const TARGET = resolve(ROOT, process.env.CARGO_TARGET_DIR ?? "target");
const SUFFIX = process.platform === "win32" ? ".exe" : "";
const NAMES = [...GROUPS, REPO_GROUP].map(({ name }) => name);

const FLAGS = {
  repo: { value: "DIR", read: (text) => resolve(text), help: "measure on a real clone instead of generated histories (it is only read)" },
  only: { value: "NAME", many: true, read: oneOf(NAMES, "group"), help: `one group; may be given again: ${NAMES.join(", ")}` },
  runs: { value: "N", read: wholeNumber(1), help: "runs of each command, the median counts (5)" },
  json: { help: "one JSON document on stdout" },
  readme: { help: "write the tables into README.md" },
  dir: { value: "DIR", read: (text) => resolve(text), help: "where the generated repositories are kept (the temporary folder)" },
  okstra: { value: "FILE", read: (text) => resolve(text), help: "measure this executable and build nothing" },
  "peers-only": { help: "measure the peers alone and build nothing" },
};

async function main(args) {
  const options = parse("npm run bench --", FLAGS, args);
  if (options === null) return;
  checkTogether(options);
  const groups = chooseGroups(options);
  if (options.repo !== undefined) await checkRepository(options.repo);
  const writeReadme = options.readme ? openReadme(join(ROOT, "README.md")) : () => {};
  const context = { ...options, runs: options.runs ?? 5, okstra: await findOkstra(options), target: TARGET, root: ROOT, buildExample };
  const document = { machine: await describeMachine(), runs: context.runs, groups: [] };
  for (const { name, title, measure } of groups) {
    progress(title);
    document.groups.push({ name, title, ...(await measure(context)) });
  }
  endProgress();
  const missed = document.groups.flatMap(({ rows }) => rows).filter(({ reached }) => reached === false).length;
  writeReadme(document);
  process.stdout.write(options.json ? `${JSON.stringify({ ...document, missed })}\n` : `${textReport(document)}${summary(missed)}`);
  if (missed > 0) process.exitCode = 2;
}

function checkTogether(options) {
  if (options.okstra !== undefined && options["peers-only"]) throw usageError("--okstra and --peers-only exclude each other");
  if (!options.readme) return;
  const partial = ["only", "repo", "okstra", "peers-only"].find((name) => options[name] !== undefined);
  if (partial !== undefined) throw usageError(`--readme shows all groups of a release build; leave out --${partial}`);
  if ((options.runs ?? 5) < 5) throw usageError("--readme shows medians of at least 5 runs; leave out --runs");
}

function chooseGroups({ repo, only }) {
  const offered = repo === undefined ? GROUPS : [REPO_GROUP, ...GROUPS];
  if (only === undefined) return repo === undefined ? GROUPS : [REPO_GROUP];
  if (repo === undefined && only.includes(REPO_GROUP.name)) throw usageError("--only repo needs --repo DIR");
  return offered.filter(({ name }) => only.includes(name));
}

async function checkRepository(repo) {
  const found = existsSync(repo) ? await git(repo, ["rev-parse", "--git-dir"], { quiet: true }) : null;
  if (found === null) throw new BenchError(`${repo} is not a git repository that can be read`, { code: "not-a-repository" });
}

async function findOkstra(options) {
  if (options["peers-only"]) return null;
  if (options.okstra === undefined) {
    await cargo(["build", "--release", "--workspace"]);
    return join(TARGET, "release", `okstra${SUFFIX}`);
  }
  if (!existsSync(options.okstra)) throw new BenchError(`there is no ${options.okstra}`, { code: "no-executable" });
  return options.okstra;
}

function buildExample(name) {
  return cargo(["build", "--release", "--example", name]);
}

/** Cargo's own progress on a terminal, its first complaint otherwise. */
async function cargo(args) {
  progress(`cargo ${args.join(" ")}`);
  endProgress();
  const shown = process.stderr.isTTY;
  const child = watch(spawn("cargo", shown ? args : [...args, "--quiet"], { cwd: ROOT, stdio: ["ignore", "ignore", shown ? "inherit" : "pipe"] }));
  let complaint = "";
  child.stderr?.setEncoding("utf8").on("data", (text) => (complaint += text));
  const [status] = await once(child, "close").catch((error) => {
    if (error.code !== "ENOENT") throw error;
    throw new BenchError("cargo was not found", { code: "cargo-missing", hint: "install Rust, or give a built executable with --okstra FILE" });
  });
  if (status === 0) return;
  const said = complaint.split("\n").find((line) => line.startsWith("error")) ?? firstLine(complaint);
  throw new BenchError(`cargo ${args.join(" ")} failed${said ? `: ${said}` : ""}`, { code: "build-failed" });
}

function summary(missed) {
  return missed === 0 ? "" : `${missed} ${missed === 1 ? "target was" : "targets were"} not reached.\n`;
}

const args = process.argv.slice(2);
main(args).catch((error) => report(error, args.includes("--json")));
