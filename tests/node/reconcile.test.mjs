/** `gitReconcile` and `okstra git-reconcile --json`: the same documents, the same errors, and the same changes on disk. */
import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { gitReconcile } from "okstra";
import { built, commit, dispatcher, environment, git, run } from "./common.mjs";

/** @typedef {import("okstra").GitReconcileOptions} Options */

const KEY = "shop/auth/login";
const task = "auth/login";

/** Holds a project, okstra's home, and a worktree; as a test finds it, it is a copy of the one that was built once. */
let folder = "";
let original = "";
let scratch = "";
/** @type {Record<string, string>} */
const commits = {};

const shop = () => join(folder, "Björn's \"shop\"");
const home = () => join(folder, "okstra home");
const planRunRoot = () => join(shop(), ".okstra/tasks/auth/login/runs/implementation-planning");
const log = () => join(planRunRoot(), "consumers.jsonl");
const registry = () => join(home(), "worktrees/registry.json");

before(() => {
  scratch = realpathSync(mkdtempSync(join(tmpdir(), "okstra reconcile ")));
  [folder, original] = [join(scratch, "story"), join(scratch, "original")];
  process.env.OKSTRA_HOME = home();
  build();
  renameSync(folder, original);
});

beforeEach(restore);
after(() => {
  process.chdir("/");
  rmSync(scratch, { recursive: true, force: true });
});

/** Makes everything as it was built. */
function restore() {
  process.chdir("/");
  rmSync(folder, { recursive: true, force: true });
  cpSync(original, folder, { recursive: true, verbatimSymlinks: true });
  process.chdir(shop());
}

/** Stage 1 was rebased, stage 2 amended, stage 3 squashed into main; others depend on them. */
function build() {
  mkdirSync(shop(), { recursive: true });
  const repository = shop();
  git(repository, "init", "-q", "-b", "main", "--template=");
  const lines = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);
  const text = (/** @type {Record<number, string>} */ changed) => lines.map((line, index) => `${changed[index + 1] ?? line}\n`).join("");
  writeFileSync(join(repository, ".gitignore"), ".okstra\n");
  git(repository, "add", ".gitignore");
  const anchor = commit(repository, { "a.txt": text({}), "b.txt": text({}), "c.txt": text({}) });
  git(repository, "branch", "fix-login");
  const rows = ["a.txt", "b.txt", "c.txt"].map((file, index) => {
    const stage = index + 1;
    git(repository, "checkout", "-q", "-b", `fix-login-s${stage}`, anchor);
    const head = commit(repository, { [file]: text({ 3: `stage ${stage}` }) });
    commits[stage] = head;
    return { impl_task_key: KEY, stage, status: "done", head_commit: head, base_commit: anchor };
  });
  git(repository, "checkout", "-q", "main");
  commit(repository, { "a.txt": text({ 35: "main moved on" }) });
  git(repository, "merge", "-q", "--squash", "fix-login-s3");
  git(repository, "commit", "-q", "-m", "squashed");
  git(repository, "rebase", "-q", "main", "fix-login-s1");
  git(repository, "checkout", "-q", "fix-login-s2");
  writeFileSync(join(repository, "b.txt"), text({ 3: "otherwise" }));
  git(repository, "commit", "-q", "-a", "--amend", "-m", "amended");
  git(repository, "checkout", "-q", "main");
  git(repository, "worktree", "add", "-q", join(folder, "worktree"), "fix-login");

  const okstra = join(repository, ".okstra");
  mkdirSync(join(planRunRoot(), "plans"), { recursive: true });
  mkdirSync(join(home(), "worktrees"), { recursive: true });
  writeJson(join(okstra, "project.json"), { schemaVersion: "1.0", projectId: "shop" });
  writeJson(join(okstra, "tasks/auth/login/task-manifest.json"), { schemaVersion: "1.0", taskKey: KEY, title: "Login", category: "fix" });
  writeFileSync(log(), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  register({ implementation_base_commit: anchor });
  const planned = [[1, []], [2, []], [3, []], [4, [1]], [5, [2]], [6, [1, 3]], [7, [4]]];
  const stages = planned.map(([stage, dependsOn]) => ({ stage, title: `Stage ${stage}`, dependsOn, stepCount: 1, files: [], hash: `${stage}` }));
  const approved = { approvedBy: "ann", approvedAt: "2026-01-01T00:00:00Z", sha256: "0" };
  writeJson(join(planRunRoot(), "plans/001.json"), { schemaVersion: "1.0", id: "001", taskKey: KEY, ...approved, stages });
}

/** @param {Record<string, unknown>} more fields of the task's entry */
function register(more) {
  const place = { worktree_path: join(folder, "worktree"), git_common_dir: join(shop(), ".git") };
  const entry = { branch: "fix-login", base_ref: "refs/heads/main", stages: {}, ...place, ...more };
  writeJson(registry(), { schemaVersion: "1.0", tasks: { [KEY]: entry } });
}

/** @param {string} file @param {unknown} value */
function writeJson(file, value) {
  writeFileSync(file, `${JSON.stringify(value)}\n`);
}

/** The options as flags. @param {Options} options */
function flags(options) {
  const words = Object.entries(options).flatMap(([name, value]) => {
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return value === true ? [flag] : value === false ? [] : [flag, String(value)];
  });
  return ["git-reconcile", ...words, "--json"];
}

/** What stands in the log, without the times. */
function recorded() {
  return readFileSync(log(), "latin1").replace(/"completed_at":"[^"]*"/g, "");
}

/** A request through one door. @typedef {(options: Options) => Promise<{ code: number | null, document: any, stderr: string }>} Door */

/** @param {string[]} command @returns {Door} */
const commandLine = (command) => async (options) => {
  const env = { ...environment, OKSTRA_HOME: home() };
  const { code, stdout, stderr } = await run(command[0], [...command.slice(1), ...flags(options)], { cwd: process.cwd(), env });
  return { code, stderr, document: JSON.parse(stdout) };
};

/** @type {Door} */
async function imported(options) {
  const document = await gitReconcile(options).catch((error) => ({ error: error.message, code: error.code, hint: error.hint ?? null }));
  return { code: null, stderr: "", document };
}

const dispatched = commandLine([process.execPath, dispatcher]);
const executed = commandLine([built.executable]);

/**
 * The same through both doors and the executable. Where it `changes` something each finds things as `spoil` leaves them.
 *
 * @param {Options} options
 * @param {boolean} changes
 * @param {() => void} [spoil]
 */
async function throughAll(options, changes, spoil = () => {}) {
  const found = [];
  spoil();
  const before = recorded();
  for (const [place, door] of [dispatched, executed, imported].entries()) {
    if (changes && place > 0) {
      restore();
      spoil();
    }
    found.push({ ...(await door(options)), log: recorded() });
  }
  const [first, second, third] = found;
  assert.deepEqual(second, first);
  assert.deepEqual([third.document, third.log], [first.document, first.log]);
  if (!changes) assert.equal(third.log, before);
  return first;
}

/** @type {[string, () => Options, number, (document: any) => unknown, unknown, (() => void)?][]} */
const answers = [
  ["what does not hold", () => ({ task }), 2, summary, [
    ["done", 1, "auto", undefined], ["done", 2, "confirm", undefined], ["gate", 5, "confirm", "stale"],
    ["gate", 6, "waiting", "not-integrated"], ["gate", 6, "confirm", "landed-elsewhere"], ["gate", 7, "waiting", "not-done"],
  ]],
  ["everything", () => ({ task, all: true }), 2, (found) => found.items.map((/** @type {any} */ item) => item.kind).join(" "),
    "anchor done done done gate gate gate gate gate"],
  ["false is as good as left out", () => ({ task, all: false, apply: false }), 2, (found) => found.items.length, 6],
  ["into a ref", () => ({ task, into: "main" }), 2, verdicts, ["absent", "absent", "contained"]],
  ["the worktree stood in", () => ({}), 2, (found) => found.items.length, 6, () => process.chdir(join(folder, "worktree"))],
  ["named in full, from a subfolder", full, 2, (found) => found.items.length, 6],
  ["an anchor that is gone", () => ({ task }), 2, (found) => found.items[0].kind, "anchor", () => register({ implementation_base_commit: "f".repeat(40) })],
  ["a torn log", () => ({ task }), 2, (found) => found.items.length, 6, () => writeFileSync(log(), `${readFileSync(log(), "utf8")}{"stage":1,`)],
  ["repaired", () => ({ task, apply: true }), 2, applied, [[1, "auto-patch-id"]]],
  ["decided", () => ({ task, apply: true, stage: 2, useRef: "fix-login-s2" }), 2, applied, [[2, "user-ref"], [1, "auto-patch-id"]]],
  ["the anchor moved", () => ({ task, apply: true, resetAnchor: "main" }), 2, applied, [["anchor"], [1, "auto-patch-id"]]],
  ["recorded from a ref", () => ({ task, apply: true, into: "main" }), 2, applied, [[1, "auto-patch-id"], [3, "auto-patch-id"]]],
  ["all at once", () => ({ task, apply: true, into: "main", resetAnchor: "main", stage: 2, useRef: "fix-login-s2" }), 2, applied,
    [["anchor"], [2, "user-ref"], [1, "auto-patch-id"], [3, "auto-patch-id"]]],
  ["nothing recorded", () => ({ task, apply: true }), 0, (found) => found, { applied: [], remaining_confirm: [] }, () => {
    rmSync(log());
    rmSync(join(planRunRoot(), "plans"), { recursive: true });
    writeFileSync(log(), "");
  }],
];

/** @param {any} document */
function summary(document) {
  return document.items.map((/** @type {any} */ item) => [item.kind, item.stage, item.classification, item.cause]).filter((/** @type {any} */ one) => one[2] !== "ok");
}

/** @param {any} document */
function verdicts(document) {
  return document.into.map((/** @type {any} */ one) => one.verdict);
}

/** @param {any} document */
function applied(document) {
  return document.applied.map((/** @type {any} */ one) => (one.anchor === undefined ? [one.stage, one.reason] : ["anchor"]));
}

/** @returns {Options} */
function full() {
  return { planRunRoot: planRunRoot(), projectId: "shop", taskGroup: "auth", taskId: "login", workCategory: "fix", projectRoot: shop() };
}

for (const [name, options, code, look, expected, spoil] of answers) {
  test(`the same answer: ${name}`, async () => {
    const found = await throughAll(options(), options().apply === true, spoil);
    assert.equal(found.code, code, JSON.stringify(found.document));
    assert.deepEqual(look(found.document), expected, JSON.stringify(found.document));
  });
}

const replaceIn = (/** @type {() => string} */ file, /** @type {string} */ text) => () => writeFileSync(file(), text);
const apply = true;

/** Every code that can be provoked without a second process at work. @type {[string, () => Options, (() => void)?][]} */
const errors = [
  ["usage", () => ({ task, useRef: "main" })],
  ["usage", () => ({ task, stage: 1 })],
  ["usage", () => ({ task, stage: 1, useRef: "main" })],
  ["usage", () => ({ task, resetAnchor: "main" })],
  ["usage", () => ({ task, all: true, apply })],
  ["usage", () => ({ taskId: "login" })],
  ["usage", () => ({ ...full(), task })],
  ["bad-name", () => ({ task: "../x/y" })],
  ["bad-name", () => ({ ...full(), taskId: "a b" })],
  ["case-collision", () => ({ task: "auth/Login" })],
  ["case-collision", () => ({ ...full(), projectId: "Shop" })],
  ["no-task", () => ({})],
  ["not-a-project", () => ({ task }), () => rmSync(join(shop(), ".okstra/project.json"))],
  ["unknown-task", () => ({ task: "auth/none" })],
  ["no-category", () => ({ task }), () => writeJson(join(shop(), ".okstra/tasks/auth/login/task-manifest.json"), { taskKey: KEY })],
  ["no-such-folder", () => ({ ...full(), planRunRoot: "nowhere" })],
  ["no-such-folder", () => ({ task, projectRoot: "nowhere" })],
  ["not-a-repository", () => ({ task, projectRoot: folder })],
  ["broken-ref", () => ({ task }), replaceIn(() => join(shop(), ".git/refs/heads/fix-login-s1"), "nonsense\n")],
  ["unresolvable-ref", () => ({ task, into: "none" })],
  ["unresolvable-ref", () => ({ task, apply, stage: 1, useRef: "main~1" })],
  ["no-done-row", () => ({ task, apply, stage: 9, useRef: "main" })],
  ["no-anchor", () => ({ task }), () => register({})],
  ["no-anchor", () => ({ task }), () => rmSync(registry())],
  ["no-registry-entry", () => ({ task, apply, resetAnchor: "main" }), () => rmSync(registry())],
  ["registry-conflict", () => ({ task }), () => register({ git_common_dir: home() })],
  ["not-the-base", () => ({ task, apply, into: "fix-login" })],
  ["operation-in-progress", () => ({ task, apply }), () => {
    git(shop(), "checkout", "-q", "fix-login-s2");
    writeFileSync(join(shop(), ".git/MERGE_HEAD"), `${commits[2]}\n`);
  }],
  ["bad-line", () => ({ task }), () => writeFileSync(log(), `{}\nnonsense\n{}\n`)],
  ["file-not-utf8", () => ({ task }), () => writeFileSync(log(), Buffer.from('{"x":"\xff"}\n', "latin1"))],
  ["not-json", () => ({ task, apply }), replaceIn(registry, "{")],
  ["wrong-shape", () => ({ task, apply }), replaceIn(registry, "[]")],
  ["newer-schema", () => ({ task, apply }), replaceIn(registry, '{"schemaVersion":"9.0","tasks":{}}')],
  ["newer-schema", () => ({ task }), () => writeJson(join(shop(), ".okstra/project.json"), { schemaVersion: "9.0", projectId: "shop" })],
  ["wrong-kind-of-file", () => ({ task }), () => {
    rmSync(registry());
    mkdirSync(registry());
  }],
  ["bad-plan", () => ({ task }), () => {
    const plan = join(planRunRoot(), "plans/001.json");
    writeJson(plan, { ...JSON.parse(readFileSync(plan, "utf8")), taskKey: "shop/auth/other" });
  }],
];

for (const [place, [code, options, spoil]] of errors.entries()) {
  test(`the same error: ${code} (${place + 1})`, async () => {
    const found = await throughAll(options(), false, spoil);
    assert.deepEqual(Object.keys(found.document), ["error", "code", "hint"]);
    assert.deepEqual([found.code, found.document.code], [1, code], found.document.error);
    assert.equal(found.stderr, "");
  });
}

test("wrong options are rejected by their names", async () => {
  /** @type {[Record<string, unknown>, RegExp][]} */
  const cases = [
    [{ task: 1 }, /task must be a string, not the number 1/],
    [{ task: null }, /task must be a string, not null/],
    [{ planRunRoot: {} }, /planRunRoot must be a string, not an object/],
    [{ projectId: true }, /projectId must be a string, not a boolean/],
    [{ taskGroup: [] }, /taskGroup must be a string, not an array/],
    [{ taskId: 1n }, /taskId must be a string, not a bigint/],
    [{ workCategory: 0 }, /workCategory must be a string, not the number 0/],
    [{ projectRoot: 0 }, /projectRoot must be a string/],
    [{ into: true }, /into must be a string, not a boolean/],
    [{ apply: "yes" }, /apply must be a boolean, not a string/],
    [{ apply: 1 }, /apply must be a boolean, not the number 1/],
    [{ all: "no" }, /all must be a boolean, not a string/],
    [{ stage: "1" }, /stage must be a whole number from 0, not a string/],
    [{ stage: 1.5 }, /stage must be a whole number from 0, not the number 1.5/],
    [{ stage: -1 }, /stage must be a whole number from 0, not the number -1/],
    [{ stage: 0, useRef: "main", apply }, /stage.* must be a number from 1, not 0/],
    [{ stage: 2 ** 32, useRef: "main", apply }, /stage.* must be a number from 1, not 4294967296/],
    [{ useRef: ["main"] }, /useRef must be a string, not an array/],
    [{ resetAnchor: false }, /resetAnchor must be a string, not a boolean/],
    [{ use_ref: "main" }, /there is no option use_ref; the options are .*useRef/],
  ];
  const before = recorded();
  for (const [options, message] of cases) {
    await assert.rejects(gitReconcile(/** @type {any} */ (options)), (/** @type {any} */ error) => {
      assert.equal(error.code, "usage", error.message);
      assert.match(error.message, message);
      return true;
    });
  }
  assert.equal(recorded(), before);
});
