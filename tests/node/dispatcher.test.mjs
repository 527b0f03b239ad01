/** The dispatcher is a thin shell: output, arguments, signals and exit codes are the core's, whole. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { mainManifest } from "../../scripts/lib/metadata.mjs";
import { dispatcher, history, longHistory, okstra, run, scratch, start } from "./common.mjs";

const onUnix = { skip: process.platform === "win32" ? "needs a POSIX shell and signals" : false };

/** More than any pipe holds. */
const LONG = "x".repeat(120_000);

/**
 * A command line in bash; `$1` is Node, `$2` the dispatcher.
 *
 * @param {string} line
 * @param {string[]} [args]
 * @param {import("node:child_process").SpawnOptions} [options]
 */
const bash = (line, args = [], options) => run("bash", ["-c", line, "bash", process.execPath, dispatcher, ...args], options);

test("--version needs no core and is the manifest's", async () => {
  const { code, stdout, stderr } = await okstra(["--version"]);
  assert.deepEqual([code, stdout, stderr], [0, `okstra ${mainManifest().version}\n`, ""]);
});

test("the exit codes of the core pass through", async (t) => {
  const { folder, tips } = history(join(scratch(t), "repository"));
  const merged = (/** @type {string} */ commit) => okstra(["content-merged", "--commit", commit, "--candidate", "main"], { cwd: folder });
  assert.equal((await okstra(["--help"])).code, 0);
  assert.equal((await merged(tips.merged)).code, 0);
  assert.equal((await merged(tips.open)).code, 2);
  const usage = await okstra(["no-such-command"]);
  assert.equal(usage.code, 1);
  assert.equal(usage.stdout, "");
  assert.match(usage.stderr, /^error: /);
});

test("more output than a pipe holds reaches a slow reader whole", onUnix, async () => {
  const { code, stdout, stderr } = await bash('"$1" "$2" --json "$3" | { sleep 1; cat; }; exit "${PIPESTATUS[0]}"', [LONG]);
  assert.deepEqual([code, stderr], [1, ""]);
  assert.ok(stdout.length > 100_000, `only ${stdout.length} bytes arrived`);
  assert.ok(stdout.endsWith("}\n"));
  assert.ok(JSON.parse(stdout).error.includes(LONG));
});

test("more output than a pipe holds on stderr reaches a slow reader whole", onUnix, async () => {
  const { code, stdout } = await bash('{ "$1" "$2" "$3" 2>&1 >/dev/null; echo "exit $?"; } | { sleep 1; cat; }', [LONG]);
  assert.equal(code, 0);
  assert.ok(stdout.includes(LONG));
  assert.ok(stdout.endsWith("exit 1\n"));
});

test("a reader that went away is not an error", onUnix, async () => {
  const { stdout, stderr } = await bash('"$1" "$2" --json "$3" | head -c 1; echo "exit ${PIPESTATUS[0]}"', [LONG]);
  assert.deepEqual([stdout, stderr], ["{exit 1\n", ""]);
  const help = await bash('{ sleep 0.5; "$1" "$2" --help; echo "exit $?" >&2; } | true');
  assert.deepEqual([help.stdout, help.stderr], ["", "exit 0\n"]);
  const version = await bash('{ sleep 0.5; "$1" "$2" --version; echo "exit $?" >&2; } | true');
  assert.equal(version.stderr, "exit 0\n");
});

test("arguments that are not UTF-8 arrive whole", { skip: process.platform !== "linux" && "file names are UTF-8 here" }, async (t) => {
  const { folder, tips } = history(join(scratch(t), "repository"));
  const line = `mv "$3" "$3"$'-\\xff\\xfe' && "$1" "$2" content-merged --project-root "$3"$'-\\xff\\xfe' --commit "$4" --candidate main --json`;
  const { code, stdout, stderr } = await bash(line, [folder, tips.merged]);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.equal(JSON.parse(stdout).matchedCommit, tips.merged);
});

test("Node's own flags and a module loaded first are none of the core's arguments", async () => {
  const args = ["--no-warnings", "--import=data:text/javascript,", dispatcher, "--help"];
  const { code, stdout } = await run(process.execPath, args);
  assert.equal(code, 0);
  assert.match(stdout, /content-merged/);
});

for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"])) {
  test(`${signal} ends a running command, and nothing is left behind`, onUnix, async (t) => {
    const { folder, stage } = longHistory(join(scratch(t), "long"), 2000);
    const args = [dispatcher, "content-merged", "--commit", stage, "--candidate", "main"];
    const { child, ended } = start(process.execPath, args, { cwd: folder, detached: true });
    await running(child.pid);
    const asked = performance.now();
    process.kill(-Number(child.pid), signal); // the whole group, as a terminal does it
    const ending = await ended;
    assert.ok(performance.now() - asked < 2000, "it went on working");
    assert.ok(ending.signal === signal || ending.code === 130 || ending.code === 143, JSON.stringify(ending));
    assert.doesNotMatch(ending.stderr, /panicked|Error:/);
    assert.throws(() => process.kill(-Number(child.pid), 0), { code: "ESRCH" });
  });
}

test("the dispatcher touches no standard stream and no signal", async () => {
  const trap = `
    const { writeSync } = await import("node:fs");
    for (const name of ["stdin", "stdout", "stderr"]) {
      Object.defineProperty(process, name, { get() { writeSync(2, name + " was touched "); } });
    }
    process.on("exit", () => {
      for (const name of process.eventNames()) if (String(name).startsWith("SIG")) writeSync(2, name + " has a handler ");
    });`;
  for (const args of [["--help"], ["--version"]]) {
    const { code, stderr } = await run(process.execPath, [`--import=data:text/javascript,${encodeURIComponent(trap)}`, dispatcher, ...args]);
    assert.deepEqual([code, stderr], [0, ""], args[0]);
  }
});

/** Waits until a process is at work in the core: its addon is mapped, and some time has gone by. @param {number | undefined} pid */
async function running(pid) {
  for (let round = 0; process.platform === "linux" && round < 200; round++) {
    if (readFileSync(`/proc/${pid}/maps`, "utf8").includes(".node")) break;
    await sleep(10);
  }
  await sleep(process.platform === "linux" ? 200 : 700);
}
