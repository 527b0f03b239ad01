/** The same input through every door gives the same document: `bin/okstra --json`, the executable, the function. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { contentMerged, demo, doctor } from "okstra";
import { built, environment, git, history, longHistory, okstra, run } from "./common.mjs";

/** @type {string} */
let folder;
/** @type {ReturnType<typeof history>} */
let repository;
/** @type {ReturnType<typeof longHistory>} */
let long;

before(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "okstra doors ")));
  repository = history(join(folder, "repository with 'quotes' and ü"));
  git(repository.folder, "worktree", "add", "-q", "--detach", join(folder, "linked"), repository.tips.open);
  long = longHistory(join(folder, "long"), 50);
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** @typedef {import("okstra").ContentMergedOptions} Options */

/** The options as flags. @param {Options} options */
function flags(options) {
  const words = Object.entries(options).flatMap(([name, value]) => [`--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`, String(value)]);
  return ["content-merged", ...words, "--json"];
}

/** @param {Options} options */
async function throughAll(options) {
  const [dispatched, executed, called] = await Promise.all([
    okstra(flags(options)),
    run(built.executable, flags(options)),
    contentMerged(options).catch((error) => ({ error: error.message, code: error.code, hint: error.hint ?? null })),
  ]);
  for (const ending of [dispatched, executed]) assert.equal(ending.stderr, "");
  assert.equal(dispatched.stdout, executed.stdout);
  assert.equal(dispatched.code, executed.code);
  assert.deepEqual(called, JSON.parse(dispatched.stdout));
  return { code: dispatched.code, document: /** @type {any} */ (called) };
}

/** @type {[string, () => Options, number, Record<string, unknown>][]} */
const answers = [
  ["merged", () => at("merged"), 0, { status: "ancestor", verdict: "contained" }],
  ["squashed", () => at("squashed"), 0, { status: "patch-equivalent", verdict: "contained" }],
  ["rebased", () => at("rebased"), 0, { status: "patch-equivalent", verdict: "contained" }],
  ["reverted", () => at("reverted"), 2, { verdict: "ask" }],
  ["open", () => at("open"), 2, { status: "not-merged", verdict: "absent", matchedCommit: null }],
  ["with a base", () => ({ ...at("squashed"), base: repository.base }), 0, { verdict: "contained" }],
  ["a full ref", () => ({ ...at("squashed"), candidate: "refs/heads/main" }), 0, { verdict: "contained" }],
  ["the head of a linked worktree", () => ({ ...at("merged"), candidate: "worktrees/linked/HEAD" }), 2, { verdict: "absent" }],
  ["a short id", () => ({ ...at("merged"), commit: repository.tips.merged.slice(0, 10) }), 0, { status: "ancestor" }],
  ["an unknown commit", () => ({ ...at("merged"), commit: "0123456789abcdef" }), 2, { status: "unresolvable", verdict: "ask" }],
  ["an unknown candidate", () => ({ ...at("merged"), candidate: "no-such-branch" }), 2, { status: "unresolvable", verdict: "ask" }],
  ["an unknown base", () => ({ ...at("merged"), base: "0123456789abcdef" }), 2, { status: "unresolvable" }],
  ["a name for a commit", () => ({ ...at("merged"), commit: "main" }), 2, { status: "unresolvable" }],
  ["a search cut short", () => ({ projectRoot: long.folder, commit: long.stage, candidate: "main", maxCommits: 5 }), 2, { verdict: "ask" }],
];

/** @param {string} branch @returns {Options} */
const at = (branch) => ({ projectRoot: repository.folder, commit: repository.tips[branch], candidate: "main" });

for (const [name, options, code, expected] of answers) {
  test(`the same answer: ${name}`, async () => {
    const found = await throughAll(options());
    assert.equal(found.code, code, JSON.stringify(found.document));
    for (const [field, value] of Object.entries(expected)) assert.equal(found.document[field], value, `${field}: ${found.document.reason}`);
    assert.deepEqual(Object.keys(found.document).sort(), ["effect", "matchedCommit", "proof", "reason", "status", "verdict"]);
  });
}

/** @type {[string, () => Options, string][]} */
const errors = [
  ["no repository", () => ({ ...at("merged"), projectRoot: folder }), "not-a-repository"],
  ["no folder", () => ({ ...at("merged"), projectRoot: join(folder, "nowhere") }), ""],
];

for (const [name, options, code] of errors) {
  test(`the same error: ${name}`, async () => {
    const found = await throughAll(options());
    assert.equal(found.code, 1);
    assert.deepEqual(Object.keys(found.document), ["error", "code", "hint"]);
    assert.match(found.document.code, /^[a-z]+(-[a-z]+)*$/);
    if (code !== "") assert.equal(found.document.code, code);
  });
}

test("the same story", async () => {
  const [dispatched, executed, called] = await Promise.all([okstra(["demo", "--json"]), run(built.executable, ["demo", "--json"]), demo()]);
  assert.deepEqual([dispatched.code, dispatched.stderr], [0, ""]);
  assert.equal(dispatched.stdout, executed.stdout);
  assert.deepEqual(called, JSON.parse(dispatched.stdout));
});

/**
 * A project with a mirror of the task `auth/login`.
 *
 * @param {string} name
 */
function mirrored(name) {
  const root = join(folder, name);
  const records = join(root, "records");
  mkdirSync(join(records, "tasks", "auth", "login"), { recursive: true });
  git(root, "init", "-q", "-b", "main");
  const row = { key: "shop/auth/login", entry: { branch: "fix-login" } };
  writeFileSync(join(records, "project.json"), '{"projectId":"shop"}');
  writeFileSync(join(records, "registry.json"), JSON.stringify(row));
  writeFileSync(join(records, "tasks", "auth", "login", "task-manifest.json"), '{"taskKey":"shop/auth/login","category":"fix"}');
  git(root, "add", "--", "records");
  const tree = git(root, "write-tree", "--prefix=records/");
  git(root, "update-ref", "refs/okstra/state/auth/login", git(root, "commit-tree", "-m", "state", tree));
  git(root, "rm", "-q", "-r", "--cached", "--", "records");
  rmSync(records, { recursive: true });
  return root;
}

/** @param {string} project @param {Record<string, unknown>} options @param {() => void} [before] */
async function doctorThroughAll(project, options, before = () => {}) {
  const home = join(folder, "okstra home");
  const words = Object.entries(options).flatMap(([name, value]) => (value === true ? [`--${name}`] : [`--${name}`, String(value)]));
  const args = ["doctor", "--project-root", project, "--json", ...words];
  const env = { ...environment, OKSTRA_HOME: home };
  const endings = [];
  for (const door of [() => okstra(args, { env }), () => run(built.executable, args, { env })]) {
    before();
    endings.push(await door());
  }
  const [dispatched, executed] = endings;
  // Only in Node is there a Node to look at.
  const node = (/** @type {any} */ document) => document.checks?.findIndex((/** @type {any} */ check) => check.name === "node") ?? -1;
  const without = JSON.parse(dispatched.stdout);
  if (without.checks) assert.equal(without.checks.splice(node(without), 1)[0].message, `Node ${process.versions.node}`);
  assert.deepEqual({ ...executed, stdout: JSON.parse(executed.stdout) }, { ...dispatched, stdout: without });
  before();
  const kept = process.env.OKSTRA_HOME;
  process.env.OKSTRA_HOME = home;
  const called = await doctor({ projectRoot: project, ...options }).catch((error) => ({ error: error.message, code: error.code, hint: error.hint ?? null }));
  if (kept === undefined) delete process.env.OKSTRA_HOME;
  else process.env.OKSTRA_HOME = kept;
  assert.deepEqual(called, JSON.parse(dispatched.stdout));
  return { code: dispatched.code, document: /** @type {any} */ (called) };
}

test("the same restore, and the same checks before and after", async () => {
  const project = mirrored("lost 'project'");
  const lose = () => {
    for (const lost of [join(project, ".okstra"), join(folder, "okstra home")]) rmSync(lost, { recursive: true, force: true });
  };
  const sick = await doctorThroughAll(project, {});
  assert.equal(sick.code, 2);
  assert.ok(sick.document.checks.some((/** @type {any} */ check) => check.status === "problem" && check.advice.includes("okstra doctor --restore")));
  const { code, document } = await doctorThroughAll(project, { restore: true }, lose);
  assert.equal(code, 0, JSON.stringify(document));
  assert.equal(document.restored.length, 3);
  assert.deepEqual(document.registry, ["shop/auth/login"]);
  assert.ok(existsSync(join(project, ".okstra", "project.json")));
  const again = await doctorThroughAll(project, { restore: true, task: "auth/login" });
  assert.deepEqual([again.code, again.document.restored, again.document.kept], [0, [], 2]);
  const healthy = await doctorThroughAll(project, {});
  assert.equal(healthy.code, 0, JSON.stringify(healthy.document));
});

test("the same errors of doctor", async () => {
  const project = mirrored("another");
  for (const [options, code] of /** @type {[Record<string, unknown>, string][]} */ ([
    [{ task: "auth/login" }, "usage"],
    [{ restore: true, task: "auth/other" }, "no-mirror"],
  ])) {
    const found = await doctorThroughAll(project, options);
    assert.deepEqual([found.code, found.document.code], [1, code]);
  }
});
