/** Stages through every door: `bin/okstra --json`, the executable, the function give the same document. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { planApprove, stageDone, stageIntegrate, stageList, stageRemove } from "okstra";
import { built, commit, environment, git, okstra, run } from "./common.mjs";

const KEY = "shop/auth/login";
const PLAN = `# Plan

## Stage Map

| stage | title | depends-on | step-count | files |
|---|---|---|---|---|
| 1 | One | (none) | 1 | \`one.txt\` |

## Stage 1: One

### Steps

1. Do it.

### Stage Validation

- post: \`test -f one.txt\`

### Stage Exit Contract

- it is there

### Rollback

Revert.
`;
/** @type {string} */
let folder;
/** @type {string} */
let shop;

/** @param {string} file @param {unknown} document */
function write(file, document) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(document));
}

/** A project whose first stage was built on its branch by an open run. */
before(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "okstra stages ")));
  shop = join(folder, "shop 'q' ü");
  mkdirSync(shop);
  git(shop, "init", "-q", "-b", "main");
  const anchor = commit(shop, { "base.txt": "one\n" });
  const home = join(folder, "home");
  process.env.OKSTRA_HOME = home;
  const worktree = (/** @type {string} */ name) => join(home, "worktrees/shop/auth", name);
  git(shop, "worktree", "add", "-q", "-b", "fix-login", worktree("login"));
  git(shop, "worktree", "add", "-q", "-b", "fix-login-s1", worktree("login-s1"));
  commit(worktree("login-s1"), { "one.txt": "1\n" });
  const stage = { worktree_path: worktree("login-s1"), branch: "fix-login-s1", base_ref: anchor, reserved_by: { run: "implementation-001" } };
  const entry = { worktree_path: worktree("login"), branch: "fix-login", base_ref: "refs/heads/main", git_common_dir: join(shop, ".git"), implementation_base_commit: anchor, stages: { 1: stage } };
  write(join(home, "worktrees/registry.json"), { schemaVersion: "1.0", tasks: { [KEY]: entry } });
  const task = join(shop, ".okstra/tasks/auth/login");
  write(join(shop, ".okstra/project.json"), { projectId: "shop" });
  writeFileSync(join(shop, ".okstra/.gitignore"), "*\n");
  write(join(task, "task-manifest.json"), { taskKey: KEY, category: "fix" });
  const plan = join(folder, "plan.md");
  writeFileSync(plan, PLAN);
  await planApprove({ projectRoot: shop, task: "auth/login", plan, by: "Ann", yes: true });
  runIs("running");
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** @param {string} status */
function runIs(status) {
  const root = join(shop, ".okstra/tasks/auth/login/runs/implementation");
  const lead = { vendor: "claude", sessionId: "s", promptPath: "p", folder: "f", moreFolders: [] };
  const convergence = { enabled: true, maxRounds: 2, adversarial: false, verificationMode: "lightweight" };
  const manifest = { run: "implementation-001", taskKey: KEY, taskType: "implementation", category: "fix", createdAt: "", okstraVersion: "0", runRoot: "", baseCommit: "", brief: { path: "", sha256: "" }, stages: [], lead, workers: [], convergence, instructionSet: [], paths: {} };
  write(join(root, "manifests/run-manifest-implementation-001.json"), manifest);
  write(join(root, "state/team-state-implementation-001.json"), { run: "implementation-001", status });
}

/**
 * The document of a command that changes nothing, which must be the same through every door.
 *
 * @param {(options: any) => Promise<unknown>} call
 * @param {string[]} words
 * @param {Record<string, unknown>} [options]
 */
async function throughAll(call, words, options = {}) {
  const args = ["stage", ...words, "--project-root", shop, "--task", "auth/login", "--json"];
  const env = { ...environment, OKSTRA_HOME: process.env.OKSTRA_HOME };
  const dispatched = await okstra(args, { env });
  const executed = await run(built.executable, args, { env });
  const called = await call({ projectRoot: shop, task: "auth/login", ...options }).catch((error) => ({ error: error.message, code: error.code, hint: error.hint ?? null }));
  assert.equal(dispatched.stdout, executed.stdout);
  assert.deepEqual(called, JSON.parse(dispatched.stdout));
  return /** @type {any} */ (called);
}

test("the same stages", async () => {
  const { stages } = await throughAll(stageList, ["list"]);
  assert.deepEqual([stages[0].state, stages[0].run, stages[0].commit], ["started", "implementation-001", null]);
});

test("the same stage, done", async () => {
  await assert.rejects(stageDone({ projectRoot: shop, task: "auth/login", stage: 1.5 }), { code: "usage" });
  const done = await stageDone({ projectRoot: shop, task: "auth/login", stage: 1 });
  assert.deepEqual([done.isNews, done.validation[0]?.exitCode], [true, 0]);
  const again = await throughAll(stageDone, ["done", "--stage", "1"], { stage: 1 });
  assert.deepEqual(again, { ...done, isNews: false });
});

test("the same integration", async () => {
  const made = await stageIntegrate({ projectRoot: shop, task: "auth/login" });
  assert.equal(made.merged[0]?.stage, 1);
  const again = await throughAll(stageIntegrate, ["integrate"]);
  assert.deepEqual([again.merged, again.contained, again.commit], [[], [1], made.commit]);
  const { stages } = await throughAll(stageList, ["list"]);
  assert.equal(stages[0].state, "integrated");
});

test("the same refusals, and the same removal", async () => {
  const kept = await throughAll(stageRemove, ["remove", "--stage", "1", "--yes"], { stage: 1, yes: true });
  assert.equal(kept.code, "stage-kept");
  runIs("finished");
  const asked = await throughAll(stageRemove, ["remove", "--stage", "1"], { stage: 1 });
  assert.equal(asked.code, "confirmation-needed");
  const removed = await stageRemove({ projectRoot: shop, task: "auth/login", stage: 1, yes: true });
  assert.equal(removed.branch, "fix-login-s1");
  const again = await throughAll(stageRemove, ["remove", "--stage", "1", "--yes"], { stage: 1, yes: true });
  assert.deepEqual([again.branch, again.worktree], [null, null]);
});
