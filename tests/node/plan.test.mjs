/** Plans through every door: `bin/okstra --json`, the executable, the functions. */
import assert from "node:assert/strict";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { planApprove, planCheck, planShow } from "okstra";
import { inRoot } from "../../scripts/lib/project.mjs";
import { built, commit, git, okstra, run, scratch } from "./common.mjs";

const functions = { check: planCheck, approve: planApprove, show: planShow };
const fixtures = inRoot("tests", "fixtures", "plans");

/** A project of which `plan.md` is no plan's yet. @param {import("node:test").TestContext} t */
function project(t) {
  const folder = join(scratch(t), "a 'shop' with ü");
  mkdirSync(join(folder, ".okstra"), { recursive: true });
  git(folder, "init", "-q", "-b", "main");
  commit(folder, { "a.txt": "a\n" });
  writeFileSync(join(folder, ".okstra", "project.json"), '{"schemaVersion":"1.0","projectId":"shop"}');
  cpSync(join(fixtures, "good", "login.md"), join(folder, "plan.md"));
  return folder;
}

/**
 * @param {keyof typeof functions} command
 * @param {Record<string, string | boolean>} options
 * @param {string} [positional] the option that the command line takes without its name
 */
async function throughAll(command, options, positional) {
  const flags = Object.entries(options).flatMap(([name, value]) => {
    if (name === positional) return [String(value)];
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return value === true ? [flag] : [flag, String(value)];
  });
  const args = ["plan", command, ...flags, "--json"];
  const dispatched = await okstra(args);
  const executed = await run(built.executable, args);
  const called = await functions[command](options).catch((error) => ({ error: error.message, code: error.code, hint: error.hint ?? null }));
  assert.equal(dispatched.stdout, executed.stdout);
  assert.equal(dispatched.code, executed.code);
  assert.deepEqual(called, JSON.parse(dispatched.stdout));
  return { code: dispatched.code, document: /** @type {any} */ (called) };
}

test("checks", async () => {
  const good = await throughAll("check", { file: join(fixtures, "good", "by-hand.md") }, "file");
  assert.deepEqual([good.code, good.document.violations, good.document.stages.length], [0, [], 3]);
  const bad = await throughAll("check", { file: join(fixtures, "bad", "all-at-once.md") }, "file");
  assert.deepEqual([bad.code, bad.document.violations.length], [2, 7]);
  const none = await throughAll("check", { file: join(fixtures, "none.md") }, "file");
  assert.deepEqual([none.code, none.document.code], [1, "file-not-found"]);
});

test("an approval, and the same again", async (t) => {
  const projectRoot = project(t);
  const options = { projectRoot, task: "auth/login", plan: join(projectRoot, "plan.md"), category: "fix", by: "Ann" };
  const unasked = await throughAll("approve", options, "plan");
  assert.deepEqual([unasked.code, unasked.document.code], [1, "confirmation-needed"]);
  const approval = await planApprove({ ...options, yes: true });
  assert.deepEqual([approval.changed, approval.approvedBy, approval.violations], [true, "Ann", []]);
  const again = await throughAll("approve", options, "plan");
  assert.deepEqual(again.document, { ...approval, changed: false });
  assert.equal(again.code, 0);
});

test("a plan that breaks rules is not approved", async (t) => {
  const projectRoot = project(t);
  const plan = join(fixtures, "bad", "s9-files.md");
  const { code, document } = await throughAll("approve", { projectRoot, task: "auth/login", plan, category: "fix", yes: true, by: "Ann" }, "plan");
  assert.deepEqual([code, document.id, document.changed, document.violations.length], [2, null, false, 5]);
});

test("shown, with states and as a graph", async (t) => {
  const projectRoot = project(t);
  const plan = join(projectRoot, "plan.md");
  const file = await throughAll("show", { file: plan }, "file");
  assert.deepEqual([file.code, file.document.id, file.document.states, file.document.graph], [0, null, null, null]);
  await planApprove({ projectRoot, task: "auth/login", plan, category: "fix", by: "Ann", yes: true });
  const { document } = await throughAll("show", { projectRoot, task: "auth/login", mermaid: true });
  assert.deepEqual(document.states.map((/** @type {any} */ each) => each.state), ["ready", "ready", "waiting", "waiting"]);
  assert.match(document.graph, /^flowchart TD\n/);
  const both = await throughAll("show", { projectRoot, task: "auth/login", dot: true, mermaid: true });
  assert.equal(both.document.code, "usage");
});
