/** The functions that `import … from "okstra"` gives: promises, codes, cancelling, and an event loop that goes on. */
import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import * as api from "okstra";
import { contentMerged } from "okstra";
import { history, longHistory } from "./common.mjs";

/** @type {string} */
let folder;
/** @type {ReturnType<typeof history>} */
let short;
/** @type {ReturnType<typeof longHistory>} */
let long;

before(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "okstra api ")));
  short = history(join(folder, "short"));
  long = longHistory(join(folder, "long"), 2000);
});
after(() => rmSync(folder, { recursive: true, force: true }));

const ask = (/** @type {Partial<api.ContentMergedOptions>} */ more = {}) =>
  contentMerged({ projectRoot: short.folder, commit: short.tips.squashed, candidate: "main", ...more });

const search = (/** @type {Partial<api.ContentMergedOptions>} */ more = {}) =>
  contentMerged({ projectRoot: long.folder, commit: long.stage, candidate: "main", ...more });

test("an answer", async () => {
  const answer = await ask();
  assert.equal(answer.status, "patch-equivalent");
  assert.equal(answer.verdict, "contained");
  assert.match(answer.matchedCommit ?? "", /^[0-9a-f]{40}$/);
});

test("options left out may be undefined", async () => {
  assert.deepEqual(await ask({ base: undefined, maxCommits: undefined, signal: undefined }), await ask());
});

test("wrong options reject with the code usage, and never throw", async () => {
  /** @type {[unknown, RegExp][]} */
  const cases = [
    [undefined, /commit must be a string, not undefined/],
    [null, /not null/],
    ["main", /not a string/],
    [[], /not an array/],
    [{}, /commit must be a string, not undefined/],
    [{ commit: 1, candidate: "main" }, /commit must be a string, not the number 1/],
    [{ commit: "abcdef0", candidate: null }, /candidate must be a string, not null/],
    [{ commit: "abcdef0", candidate: "main", projectRoot: {} }, /projectRoot must be a string, not an object/],
    [{ commit: "abcdef0", candidate: "main", maxCommits: -1 }, /maxCommits must be a whole number from 0, not the number -1/],
    [{ commit: "abcdef0", candidate: "main", maxCommits: 1.5 }, /not the number 1.5/],
    [{ commit: "abcdef0", candidate: "main", maxSeconds: Number.NaN }, /not the number NaN/],
    [{ commit: "abcdef0", candidate: "main", maxSeconds: 10n }, /not a bigint/],
    [{ commit: "abcdef0", candidate: "main", signal: true }, /signal must be an AbortSignal, not a boolean/],
    [{ commit: "abcdef0", candidate: "main", project_root: "." }, /there is no option project_root; the options are .*projectRoot/],
  ];
  for (const [options, message] of cases) {
    const promise = contentMerged(/** @type {any} */ (options));
    assert.ok(promise instanceof Promise);
    await assert.rejects(promise, (/** @type {any} */ error) => {
      assert.equal(error.code, "usage");
      assert.ok(error instanceof TypeError);
      assert.match(error.message, /^contentMerged: /);
      assert.match(error.message, message);
      return true;
    });
  }
});

test("an error of the core has its code", async () => {
  await assert.rejects(ask({ projectRoot: folder }), { code: "not-a-repository" });
});

test("a signal that was aborted before starts nothing", async () => {
  const reason = new Error("changed my mind");
  const start = performance.now();
  await assert.rejects(search({ signal: AbortSignal.abort(reason) }), (/** @type {any} */ error) => {
    assert.deepEqual([error.name, error.code, error.cause], ["AbortError", "cancelled", reason]);
    return true;
  });
  assert.ok(performance.now() - start < 100);
});

test("a signal stops running work soon", async () => {
  const controller = new AbortController();
  const reason = new Error("took too long");
  setTimeout(() => controller.abort(reason), 150);
  const start = performance.now();
  await assert.rejects(search({ signal: controller.signal }), (/** @type {any} */ error) => {
    assert.deepEqual([error.name, error.code, error.cause], ["AbortError", "cancelled", reason]);
    assert.ok(error instanceof Error);
    return true;
  });
  const took = performance.now() - start;
  assert.ok(took >= 140 && took < 1000, `it took ${took} ms`);
  assert.deepEqual(getEventListeners(controller.signal, "abort"), []);
});

test("a signal that is not used leaves nothing behind", async () => {
  const controller = new AbortController();
  await ask({ signal: controller.signal });
  await assert.rejects(ask({ projectRoot: folder, signal: controller.signal }));
  assert.deepEqual(getEventListeners(controller.signal, "abort"), []);
  controller.abort();
});

test("the event loop goes on while the core works", async () => {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 5);
  const start = performance.now();
  const answer = await search();
  const took = performance.now() - start;
  clearInterval(timer);
  assert.equal(answer.verdict === "contained", false);
  assert.ok(took > 300, `the search took only ${took} ms: it proves nothing`);
  assert.ok(longest < took / 3, `the event loop stood still for ${longest} of ${took} ms`);
});

test("several at once", async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => ask()));
  for (const answer of answers) assert.deepEqual(answer, answers[0]);
});

test("a search that stops early does not say no", async () => {
  const answer = await search({ maxCommits: 5 });
  assert.equal(answer.verdict, "ask");
  assert.equal(answer.effect === "absent", false);
});

test("the module exports operations and nothing else", () => {
  for (const [name, value] of Object.entries(api)) assert.equal(typeof value, "function", name);
});
