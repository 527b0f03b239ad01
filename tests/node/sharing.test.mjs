/** Sharing and fetching through every door: `bin/okstra --json`, the executable, the function give the same document. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { taskFetch, taskShare } from "okstra";
import { built, commit, environment, git, okstra, run } from "./common.mjs";

const KEY = "shop/auth/login";
const NOTES = ".okstra/tasks/auth/login/notes.md";
/** @type {string} */
let folder;

/** @param {string} file @param {unknown} document */
function write(file, document) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof document === "string" ? document : JSON.stringify(document));
}

/** @param {string} name */
const place = (name) => join(folder, name, "shop 'q' ü");

/** A remote, a clone with a task, and one without. */
before(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "okstra sharing ")));
  const origin = join(folder, "origin.git");
  git(folder, "init", "-q", "--bare", "-b", "main", origin);
  for (const name of ["a", "b"]) {
    mkdirSync(join(folder, name));
    git(folder, "clone", "-q", origin, place(name));
  }
  commit(place("a"), { "base.txt": "one\n" });
  write(join(place("a"), ".okstra/project.json"), { projectId: "shop" });
  writeFileSync(join(place("a"), ".okstra/.gitignore"), "*\n");
  write(join(place("a"), ".okstra/tasks/auth/login/task-manifest.json"), { taskKey: KEY, category: "fix" });
});
after(() => rmSync(folder, { recursive: true, force: true }));

/**
 * The document of a command that changes nothing, which must be the same through every door.
 *
 * @param {string} name
 * @param {(options: any) => Promise<unknown>} call
 * @param {string[]} words
 * @param {Record<string, unknown>} [options]
 */
async function throughAll(name, call, words, options = {}) {
  process.env.OKSTRA_HOME = join(folder, name, "home");
  const args = ["task", ...words, "--project-root", place(name), "--task", "auth/login", "--json"];
  const env = { ...environment, OKSTRA_HOME: process.env.OKSTRA_HOME };
  const dispatched = await okstra(args, { env });
  const executed = await run(built.executable, args, { env });
  const called = await call({ projectRoot: place(name), task: "auth/login", ...options }).catch((error) => ({ error: error.message, code: error.code, hint: error.hint ?? null }));
  assert.equal(dispatched.stdout, executed.stdout);
  assert.equal(dispatched.code, executed.code);
  assert.deepEqual(called, JSON.parse(dispatched.stdout));
  return { code: dispatched.code, document: /** @type {any} */ (called) };
}

test("the same share", async () => {
  const planned = await throughAll("a", taskShare, ["share", "--dry-run"], { dryRun: true });
  assert.deepEqual([planned.document.pushed.length, planned.document.pushed[0].old, planned.document.dryRun], [1, null, true]);
  const shared = await taskShare({ projectRoot: place("a"), task: "auth/login", remote: "origin" });
  assert.equal(shared.pushed[0]?.new, shared.commit);
  const again = await throughAll("a", taskShare, ["share"]);
  assert.deepEqual([again.code, again.document.pushed], [0, []]);
});

test("the same fetch", async () => {
  const planned = await throughAll("b", taskFetch, ["fetch", "--dry-run"], { dryRun: true });
  assert.equal(planned.document.state, "new");
  const fetched = await taskFetch({ projectRoot: place("b"), task: "auth/login" });
  assert.deepEqual([fetched.state, fetched.added], ["new", planned.document.added]);
  const again = await throughAll("b", taskFetch, ["fetch"]);
  assert.equal(again.document.state, "up-to-date");
});

test("the same conflict, and the same refusals", async () => {
  for (const name of ["a", "b"]) write(join(place(name), NOTES), `of ${name}\n`);
  process.env.OKSTRA_HOME = join(folder, "a", "home");
  await taskShare({ projectRoot: place("a"), task: "auth/login" });
  const refused = await throughAll("b", taskShare, ["share"]);
  assert.deepEqual([refused.code, refused.document.code], [1, "fetch-first"]);
  const { code, document } = await throughAll("b", taskFetch, ["fetch"]);
  assert.deepEqual([code, document.state, document.conflicts.length], [2, "conflict", 1]);
  assert.deepEqual([document.conflicts[0].kind, document.conflicts[0].paths], ["file", [NOTES]]);
  const unknown = await throughAll("b", taskFetch, ["fetch", "--remote", "nowhere"], { remote: "nowhere" });
  assert.equal(unknown.document.code, "unknown-remote");
});
