/** `okstra run` through Node on a terminal: the lead has it, and Node neither swallows Ctrl-C nor dies of it. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { init } from "okstra";
import { built, commit, dispatcher, environment, git, scratch, start } from "./common.mjs";

const host = join(dirname(built.executable), "examples", "host");
const skip = process.platform === "win32" && "Windows has no pseudo-terminals that this test knows";

/** A lead that needs its terminal. */
const lead = `#!/bin/sh
[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && echo "terminals $(stty size)"
trap 'interrupted=yes' INT
trap 'echo "resized $(stty size)"' WINCH
printf 'name? '; read name; echo "hello $name"
while [ -z "$interrupted" ]; do sleep 0.02; done
echo "interrupted, and not ended"
eval "$OKSTRA_TEST_END"
`;

/**
 * Runs `bin/okstra` on a terminal; `said` waits until something has appeared, `type` types a line.
 *
 * @param {string[]} args
 * @param {Record<string, string | undefined>} env
 */
function onTerminal(args, env) {
  const { child, ended } = start(host, ["pty", process.execPath, dispatcher, ...args], { env, stdio: ["pipe", "pipe", "pipe"] });
  let screen = "";
  child.stdout?.on("data", (chunk) => (screen += chunk));
  const said = async (/** @type {string} */ text) => {
    for (let tries = 0; !screen.includes(text); tries++) {
      assert.ok(tries < 1000 && child.exitCode === null, `no ${JSON.stringify(text)} on the terminal, but ${JSON.stringify(screen)}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  return { said, type: (/** @type {string} */ line) => child.stdin?.write(`${line}\n`), ended };
}

test("the terminal is the lead's", { skip }, async (t) => {
  assert.ok(existsSync(host), `${host} is not built: run cargo build --examples`);
  const folder = scratch(t);
  const shop = join(folder, "shop");
  mkdirSync(shop);
  git(shop, "init", "-q", "-b", "main");
  commit(shop, { "base.txt": "one\n" });
  const programs = join(folder, "programs");
  mkdirSync(programs);
  writeFileSync(join(programs, "claude"), lead, { mode: 0o755 });
  const env = { ...environment, PATH: `${programs}:${process.env.PATH}`, OKSTRA_HOME: join(folder, "home"), TERM: "xterm" };
  await init({ projectRoot: shop, projectId: "shop" });
  writeFileSync(join(folder, "brief.md"), "# Login\n");
  const run = ["run", "--project-root", shop, "--task", "auth/login", "--workers", "claude", "--category", "fix", "--brief", join(folder, "brief.md")];
  const resume = ["resume", "--project-root", shop, "--task", "auth/login"];
  for (const [args, end, code] of /** @type {[string[], string, number][]} */ ([[run, "exit 9", 9], [resume, "kill -TERM $$", 143]])) {
    const terminal = onTerminal(args, { ...env, OKSTRA_TEST_END: end });
    await terminal.said("terminals 40 100");
    await terminal.said("name? ");
    terminal.type("Ann");
    await terminal.said("hello Ann");
    terminal.type("resize 30 90");
    await terminal.said("resized 30 90");
    terminal.type("\u0003");
    const { code: ended, stdout } = await terminal.ended;
    assert.equal(ended, code, stdout);
    assert.match(stdout, /interrupted, and not ended/);
  }
});
