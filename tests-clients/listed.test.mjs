/** After an install from the packed packages each client itself lists the skills. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { before, after, test } from "node:test";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clients, installOkstra, machine, shipped, succeed } from "./common.mjs";
import { startModel } from "./model.mjs";

/** @type {string} */
let folder;
/** @type {Awaited<ReturnType<typeof startModel>>} */
let model;
/** @type {import("./common.mjs").Machine} */
let host;

before(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "okstra clients ")));
  model = await startModel(() => ({ text: "Hello" }));
  host = await machine(folder, model.url);
  await installOkstra(host);
});

after(() => {
  model?.close();
  rmSync(folder, { recursive: true, force: true });
});

test("Claude Code names them in the first row of its stream", async () => {
  const args = ["-p", "Hello", "--output-format", "stream-json", "--verbose"];
  const output = await succeed(join(clients, "claude"), args, { cwd: host.project, env: host.env });
  const rows = output.trim().split("\n").map((line) => JSON.parse(line));
  const first = rows.find(({ subtype }) => subtype === "init");
  for (const skill of shipped) assert.ok(first.skills.includes(skill), `${skill} is not among ${first.skills}`);
  const result = rows.findLast(({ type }) => type === "result");
  assert.equal(result.is_error, false);
  assert.equal(result.result, "Hello");
});

test("`gemini skills list` shows them", async () => {
  const output = await succeed(join(clients, "gemini"), ["skills", "list"], { cwd: host.project, env: host.env });
  for (const skill of shipped) assert.match(output, new RegExp(`^${skill} \\[Enabled\\]$`, "m"));
});

test("Codex's app server lists them, enabled", async () => {
  const child = spawn(join(clients, "codex"), ["app-server"], { cwd: host.project, env: host.env, stdio: ["pipe", "pipe", "ignore"] });
  try {
    const send = (/** @type {object} */ message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    send({ id: 1, method: "initialize", params: { clientInfo: { name: "okstra-test", version: "1" } } });
    send({ method: "initialized" });
    send({ id: 2, method: "skills/list", params: { cwds: [host.project] } });
    for await (const line of createInterface({ input: child.stdout })) {
      const { id, result, error } = JSON.parse(line);
      if (id !== 2) continue;
      assert.equal(error, undefined);
      const enabled = result.data[0].skills.filter((/** @type {{ enabled: boolean }} */ skill) => skill.enabled);
      const names = enabled.map((/** @type {{ name: string }} */ { name }) => name);
      for (const skill of shipped) assert.ok(names.includes(skill), `${skill} is not among ${names}`);
      return;
    }
    assert.fail("the app server ended without an answer");
  } finally {
    child.kill();
  }
});
