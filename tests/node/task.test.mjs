/** Following the base and closing a task through every door: the document is the same. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { status, taskClose, taskSync } from "okstra";
import { built, commit, environment, git, okstra, run } from "./common.mjs";

const KEY = "shop/auth/login";
/** @type {string} */
let folder;
/** @type {string} */
let shop;
/** @type {string} */
let worktree;

/** @param {string} file @param {unknown} document */
function write(file, document) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(document));
}

/** A task with work on its branch. */
before(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "okstra task ")));
  shop = join(folder, "shop 'q' ü");
  mkdirSync(shop);
  git(shop, "init", "-q", "-b", "main");
  const anchor = commit(shop, { "base.txt": "one\n" });
  const home = join(folder, "home");
  process.env.OKSTRA_HOME = home;
  worktree = join(home, "worktrees/shop/auth/login");
  git(shop, "worktree", "add", "-q", "-b", "fix-login", worktree);
  commit(worktree, { "one.txt": "1\n" });
  const entry = { worktree_path: worktree, branch: "fix-login", base_ref: "refs/heads/main", git_common_dir: join(shop, ".git"), implementation_base_commit: anchor };
  write(join(home, "worktrees/registry.json"), { schemaVersion: "1.0", tasks: { [KEY]: entry } });
  write(join(shop, ".okstra/project.json"), { projectId: "shop" });
  writeFileSync(join(shop, ".okstra/.gitignore"), "*\n");
  write(join(shop, ".okstra/tasks/auth/login/task-manifest.json"), { taskKey: KEY, category: "fix" });
});
after(() => rmSync(folder, { recursive: true, force: true }));

/**
 * The document of a command that changes nothing, which must be the same through every door.
 *
 * @param {(options: any) => Promise<unknown>} call
 * @param {string[]} words
 * @param {Record<string, unknown>} [options]
 */
async function throughAll(call, words, options = {}) {
  const args = ["task", ...words, "--project-root", shop, "--task", "auth/login", "--json"];
  const env = { ...environment, OKSTRA_HOME: process.env.OKSTRA_HOME };
  const dispatched = await okstra(args, { env });
  const executed = await run(built.executable, args, { env });
  /** @type {any} */
  const called = await call({ projectRoot: shop, task: "auth/login", ...options }).catch((error) => ({ error: error.message, code: error.code, hint: error.hint ?? null }));
  assert.equal(dispatched.stdout, executed.stdout);
  const expected = called.code ? 1 : called.kept?.length ? 2 : 0;
  assert.deepEqual([dispatched.code, executed.code], [expected, expected]);
  assert.deepEqual(called, JSON.parse(dispatched.stdout));
  return called;
}

test("the same answers about a base that has not moved, and one that has", async () => {
  assert.equal((await throughAll(taskSync, ["sync"])).how, "nothing");
  const kept = await throughAll(taskClose, ["close", "--dry-run"], { dryRun: true });
  assert.deepEqual([kept.removed, kept.kept[0].of, kept.closed], [[], "the task", false]);
  git(shop, "merge", "-q", "--squash", "fix-login");
  git(shop, "commit", "-q", "-m", "Login (#1)");
  const synced = await taskSync({ projectRoot: shop, task: "auth/login" });
  assert.deepEqual([synced.how, synced.commit], ["restart", synced.baseCommit]);
  assert.equal((await throughAll(taskSync, ["sync"])).how, "nothing");
});

test("the same refusal, and the same end", async () => {
  writeFileSync(join(worktree, "new"), "x");
  assert.equal((await throughAll(taskSync, ["sync"])).code, "dirty-worktree");
  assert.equal((await throughAll(taskClose, ["close", "--yes"], { yes: true })).code, "dirty-worktree");
  rmSync(join(worktree, "new"));
  const planned = await throughAll(taskClose, ["close", "--dry-run"], { dryRun: true });
  assert.equal((await throughAll(taskClose, ["close"])).code, "confirmation-needed");
  assert.deepEqual(await taskClose({ projectRoot: shop, task: "auth/login", yes: true }), planned);
  const again = await throughAll(taskClose, ["close"]);
  assert.deepEqual([again.removed, again.closed], [[], true]);
  const { closedAt, next } = await status({ projectRoot: shop, task: "auth/login" });
  assert.deepEqual([typeof closedAt, next.step], ["string", "nothing"]);
});
