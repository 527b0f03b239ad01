/** Preparing a run through every door: the same document, but for the number of the run. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { init, renderBundle } from "okstra";
import { built, commit, environment, git, okstra, run } from "./common.mjs";

/** @type {string} */
let folder;
/** @type {string} */
let shop;

before(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "okstra prepare ")));
  shop = join(folder, "shop 'q' ü");
  mkdirSync(shop);
  git(shop, "init", "-q", "-b", "main");
  commit(shop, { "base.txt": "one\n" });
  process.env.OKSTRA_HOME = join(folder, "home");
  await init({ projectRoot: shop, projectId: "shop" });
});

after(() => rmSync(folder, { recursive: true, force: true }));

/** @param {unknown} document */
const unnumbered = (document) => JSON.parse(JSON.stringify(document).replaceAll(/(-|\/)00\d/g, "$1NNN"));

test("a run is prepared alike", async () => {
  const options = { projectRoot: shop, task: "auth/login", type: "requirements-discovery", workers: "claude,codex" };
  const called = await renderBundle({ ...options, category: "fix", briefText: "# Login\n" });
  const args = ["render-bundle", "--project-root", shop, "--task", "auth/login", "--type", "requirements-discovery", "--workers", "claude,codex", "--json"];
  const env = { ...environment, OKSTRA_HOME: process.env.OKSTRA_HOME };
  for (const door of [okstra(args, { env }), run(built.executable, args, { env })]) {
    const { code, stdout, stderr } = await door;
    assert.deepEqual([code, stderr], [0, ""]);
    assert.deepEqual(unnumbered(JSON.parse(stdout)), unnumbered(called));
  }
  assert.equal(called.run, "requirements-discovery-001");
  assert.equal(called.next, "okstra resume requirements-discovery-001 --task auth/login");
});

test("what is wrong is refused alike", async () => {
  const both = renderBundle({ projectRoot: shop, task: "auth/new", category: "fix", brief: "x", briefText: "y" });
  await assert.rejects(both, { code: "usage", message: "`brief` does not go with `briefText`" });
  const none = renderBundle({ projectRoot: shop, task: "auth/new", category: "fix" });
  await assert.rejects(none, { code: "usage", message: "task auth/new has no brief yet" });
});
