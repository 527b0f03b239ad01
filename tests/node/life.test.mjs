/** The life of tasks and runs through every door: the same documents, the same refusals. */
import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { abandon, finish, init, status, tasks } from "okstra";
import { built, dispatcher, environment, git, run } from "./common.mjs";

/** @type {string} */
let folder;
/** The project as each door finds it; a door that changes something has its own. @type {string} */
let original;
let copies = 0;

before(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "okstra life ")));
  original = join(folder, "original", "shop");
  mkdirSync(original, { recursive: true });
  git(original, "init", "-q", "-b", "main");
  git(original, "commit", "-q", "--allow-empty", "-m", "begin");
  write(original, "project.json", { projectId: "shop" });
  write(original, "tasks/auth/login/task-manifest.json", { taskKey: "shop/auth/login", title: "Log in", category: "fix" });
  write(original, "tasks/auth/bad/task-manifest.json", { taskKey: 1 });
  for (const run of ["error-analysis-001", "requirements-discovery-001"]) {
    const taskType = run.slice(0, -4);
    write(original, `tasks/auth/login/runs/${taskType}/manifests/run-manifest-${run}.json`, manifest(run, taskType));
  }
  const stages = ["First", "Second"].map((title, index) => ({ stage: index + 1, title, hash: "h" }));
  const plan = { id: "001", taskKey: "shop/auth/login", approvedBy: "Ann", approvedAt: "2026-01-01T00:00:00Z", sha256: "0", stages };
  write(original, "tasks/auth/login/runs/implementation-planning/plans/001.json", plan);
  write(original, "tasks/auth/login/runs/requirements-discovery/reports/final-report-requirements-discovery-001.md", "x");
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** @param {string} root @param {string} below @param {unknown} content */
function write(root, below, content) {
  const path = join(root, ".okstra", below);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
}

/** @param {string} run @param {string} taskType */
function manifest(run, taskType) {
  return {
    run,
    taskType,
    taskKey: "shop/auth/login",
    category: "fix",
    createdAt: "2026-01-01T00:00:00Z",
    okstraVersion: "0.1.0",
    runRoot: "r",
    baseCommit: "ab",
    brief: { path: "b", sha256: "00" },
    lead: { vendor: "codex", sessionId: "s", promptPath: "p", folder: "f", moreFolders: [] },
    workers: [],
    instructionSet: [],
    paths: {},
    convergence: { enabled: true, maxRounds: 2, adversarial: true, verificationMode: "full-reanalysis" },
  };
}

/** A copy of the project at a place of its own. */
function copy() {
  const parent = join(folder, `copy-${(copies += 1)}`);
  cpSync(join(folder, "original"), parent, { recursive: true });
  return join(parent, "shop");
}

/** What differs from one call to the next: times, and the folder. @param {unknown} document @param {string} root */
const plain = (document, root) =>
  JSON.parse(JSON.stringify(document).replaceAll(JSON.stringify(root).slice(1, -1), "ROOT").replace(/"ageSeconds":\d+/g, '"ageSeconds":0'));

const home = () => join(folder, "home");

/** @typedef {(options: any) => Promise<unknown>} Door */
/** @type {[string, Door, string[], Record<string, unknown>, number, (document: any) => void][]} */
const cases = [
  ["status", status, ["status", "--task", "auth/login"], { task: "auth/login" }, 0, (found) => {
    assert.equal(found.open.length, 2);
    assert.equal(found.next.command, "okstra finish requirements-discovery-001 --task auth/login --route ROUTE --project-root 'ROOT'");
    assert.deepEqual(found.phases.map((/** @type {any} */ phase) => phase.state), ["open", "open", "left-out", "to-come", "to-come", "to-come"]);
    assert.deepEqual(found.plan.stages[1], { stage: 2, title: "Second", done: false, integrated: false, stale: null, reservedBy: null });
    assert.equal(found.plan.total, 2);
  }],
  ["status of no task", status, ["status", "--task", "auth/none"], { task: "auth/none" }, 1, (found) => assert.equal(found.code, "unknown-task")],
  ["tasks", tasks, ["tasks"], {}, 2, (found) => {
    assert.deepEqual([found.tasks.length, found.unreadable.length], [1, 1]);
    assert.equal(found.tasks[0].title, "Log in");
  }],
  ["init again", init, ["init"], {}, 0, (found) => assert.deepEqual(found, { projectRoot: "ROOT", projectId: "shop", created: false })],
  ["init with another id", init, ["init", "--project-id", "other"], { projectId: "other" }, 1, (found) => assert.equal(found.code, "other-project")],
  ["abandon", abandon, ["abandon", "error-analysis-001", "--task", "auth/login", "--reason", "no", "--yes"], { run: "error-analysis-001", task: "auth/login", reason: "no", yes: true }, 0, (found) =>
    assert.deepEqual(found, { task: "auth/login", run: "error-analysis-001", reason: "no", already: false, released: [], worktrees: [], removed: [] })],
  ["abandon unasked", abandon, ["abandon", "error-analysis-001", "--task", "auth/login", "--reason", "no"], { run: "error-analysis-001", task: "auth/login", reason: "no" }, 1, (found) => assert.equal(found.code, "confirmation-needed")],
  ["finish", finish, ["finish", "requirements-discovery-001", "--task", "auth/login", "--route", "full"], { run: "requirements-discovery-001", task: "auth/login", route: "full" }, 0, (found) => {
    assert.equal(found.route, "full");
    assert.equal(found.next.step, "resume");
  }],
  ["finish with something missing", finish, ["finish", "error-analysis-001", "--task", "auth/login"], { run: "error-analysis-001", task: "auth/login" }, 1, (found) => assert.equal(found.code, "run-unfinished")],
  ["finish by force", finish, ["finish", "error-analysis-001", "--task", "auth/login", "--force", "so", "--yes"], { run: "error-analysis-001", task: "auth/login", force: "so", yes: true }, 0, (found) => assert.equal(found.forced, "so")],
  ["finish what is not clear", finish, ["finish", "--task", "auth/login"], { task: "auth/login" }, 1, (found) => assert.equal(found.code, "which-run")],
];

for (const [name, door, args, options, code, check] of cases) {
  test(`the same document: ${name}`, async () => {
    const roots = [copy(), copy(), copy()];
    // The registry remembers no clone here, so one home does for all of them.
    const env = { ...environment, OKSTRA_HOME: home() };
    process.env.OKSTRA_HOME = home();
    const typed = (/** @type {string} */ root) => [...args, "--project-root", root, "--json"];
    const executed = await run(built.executable, typed(roots[0]), { env });
    const dispatched = await run(process.execPath, [dispatcher, ...typed(roots[1])], { env });
    const called = await door({ ...options, projectRoot: roots[2] }).catch((error) => ({ error: error.message, code: error.code, hint: error.hint ?? null }));
    assert.deepEqual([executed.code, dispatched.code], [code, code], executed.stdout + executed.stderr);
    const documents = [plain(JSON.parse(executed.stdout), roots[0]), plain(JSON.parse(dispatched.stdout), roots[1]), plain(called, roots[2])];
    check(documents[0]);
    assert.deepEqual(documents[1], documents[0]);
    assert.deepEqual(documents[2], documents[0]);
  });
}

test("the same document: init", async () => {
  const folders = ["one", "two", "three"].map((parent) => join(folder, parent, "new shop"));
  for (const root of folders) {
    mkdirSync(root, { recursive: true });
    git(root, "init", "-q");
  }
  const executed = await run(built.executable, ["init", "--yes", "--json", "--project-root", folders[0]]);
  const dispatched = await run(process.execPath, [dispatcher, "init", "--yes", "--json", "--project-root", folders[1]]);
  const called = await init({ yes: true, projectRoot: folders[2] });
  const documents = [plain(JSON.parse(executed.stdout), folders[0]), plain(JSON.parse(dispatched.stdout), folders[1]), plain(called, folders[2])];
  assert.deepEqual(documents, Array(3).fill({ projectRoot: "ROOT", projectId: "new-shop", created: true }));
});
