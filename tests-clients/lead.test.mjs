/**
 * The real Claude Code leads: it loads the skill, does what the skill says with the commands that stand there, meets a
 * commit that somebody amended, asks, and goes on with the answer. Only the model's judgement is played here; what it
 * is told, what it may run and what comes of it is the client's and okstra's.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { run } from "../tests/node/common.mjs";
import { clients, installOkstra, machine, succeed } from "./common.mjs";
import { startModel } from "./model.mjs";

const task = "auth/login";
const branch = "fix-login-s1";
/** What the user allows besides, in words of the client: every command of okstra, as the skill calls it. */
let allowed = "";

/** Whether somebody amends once the lead has seen where the task stands, and whether they did. */
let amends = false;
/** Where it is started, if not in the project. @type {string | undefined} */
let claudeIn;
let amended = false;

/** @type {string} */
let folder;
/** @type {Awaited<ReturnType<typeof startModel>>} */
let model;
/** @type {import("./common.mjs").Machine} */
let host;
/** @type {string} */
let okstra;

/** What the model was told and what it did, in order. @type {{ said: string, turn: import("./model.mjs").Turn }[]} */
let turns = [];

/** What it has read, for later. @type {{ skill: string, reference: string, guidance: string }} */
const read = { skill: "", reference: "", guidance: "" };

/** The one JSON document of okstra in what was said. @param {string} text */
function documentIn(text) {
  const line = text.split("\n").find((line) => line.startsWith('{"'));
  return line === undefined ? null : JSON.parse(line);
}

/** A command as it stands in the skill, for this task. @param {RegExp} pattern */
function commandOf(pattern) {
  const found = pattern.exec(read.skill);
  assert.ok(found, `the skill has no ${pattern}`);
  return found[1].replaceAll("GROUP/ID", task);
}

/** @param {string} command @returns {import("./model.mjs").Turn} */
const bash = (command) => ({ tool: "Bash", input: { command, description: "okstra" } });
const prepare = () => bash(commandOf(/^`([^`]*okstra[^` ]* render-bundle --task GROUP\/ID --json)`$/m));
/** A command of an answer, called as the skill says. @param {string} command */
const called = (command) => command.replace(/^okstra /, () => `${/`([^`]*okstra[^` ]*) tasks/.exec(read.skill)?.[1]} `);
const look = () => {
  const guided = called(/^\s*(.* git-reconcile .*--json)$/m.exec(read.guidance)?.[1] ?? "");
  const own = /`([^`]* git-reconcile --task GROUP\/ID --json)`/.exec(read.reference)?.[1].replaceAll("GROUP/ID", task);
  return bash(guided || own || assert.fail(`no command in: ${read.guidance}${read.reference}`));
};

/** The reviewer amends the recorded commit. */
function amend() {
  const at = [host.home, ".okstra", "worktrees", "shop", "auth"];
  const worktree = join(...at, "login-s1");
  appendFileSync(join(worktree, "a.txt"), "as the reviewer wants it\n");
  const gitNow = (/** @type {string[]} */ ...args) => execFileSync("git", args, { env: host.env });
  gitNow("-C", worktree, "commit", "--quiet", "--amend", "--all", "--no-edit");
  gitNow("-C", join(...at, "login"), "reset", "--quiet", "--hard", branch);
  amended = true;
}

/** @returns {import("./model.mjs").Turn} */
function reference() {
  const base = /Base directory for this skill: (.*)/.exec(read.skill)?.[1] ?? assert.fail("the client does not say where the skill is");
  return { tool: "Read", input: { file_path: join(base, "references", "stale-commits.md") } };
}

/** What a lead does next who follows the skill to the letter. @param {import("./model.mjs").Asked} asked @returns {import("./model.mjs").Turn} */
function lead({ said }) {
  if (said.includes("Go on with the task")) return { tool: "Skill", input: { skill: "okstra-run" } };
  if (said.includes("# Start or continue an okstra task")) {
    read.skill = said;
    return bash(commandOf(/`([^`]*okstra[^` ]* status --task GROUP\/ID --json)`/));
  }
  if (said.includes("# Recorded commits that no longer match")) {
    read.reference = said;
    return look();
  }
  if (said.includes("My answer: 1")) {
    const apply = /^\s*(.* git-reconcile .*--apply --stage 1 --use-ref) .*$/m.exec(read.guidance);
    return bash(called(`${apply?.[1] ?? assert.fail(`no --apply in: ${read.guidance}`)} ${branch}`));
  }
  if (said.includes("as you decided")) return look();
  const document = documentIn(said);
  if (document === null) return { text: `Stopped: ${said}` };
  if (document.next?.step === "run") {
    if (amends && !amended) amend();
    return prepare();
  }
  if (document.next?.step === "git-reconcile") return reference();
  if (document.code === "stale-commits" || document.hint?.startsWith("Recorded stage SHAs no longer match")) {
    read.guidance = document.hint;
    return reference();
  }
  if (document.items !== undefined && document.repaired === undefined) {
    const open = document.items.filter((/** @type {any} */ { kind, classification }) => kind !== "gate" && classification === "confirm");
    if (open.length === 0) return prepare();
    return { text: open.map((/** @type {any} */ { stage, reason }) => `Stage ${stage}: ${reason}. 1. the tip of its branch 2. another ref 3. stop`).join("\n") };
  }
  if (document.launchPrompt !== undefined) return { tool: "Read", input: { file_path: document.launchPrompt } };
  return look();
}

/** A turn of the user: the rows that Claude Code prints. @param {string[]} args */
async function claude(...args) {
  turns = [];
  const cwd = claudeIn ?? host.project;
  const { code, stdout, stderr } = await run(join(clients, "claude"), ["-p", ...args, "--output-format", "stream-json", "--verbose"], { cwd, env: host.env });
  assert.equal(code, 0, `${stdout}\n${stderr}`);
  const rows = stdout.trim().split("\n").map((line) => JSON.parse(line));
  return rows.findLast(({ type }) => type === "result");
}

/** @param {string} command @param {...string} args */
async function core(command, ...args) {
  const words = [...command.split(" "), ...args];
  const output = await succeed(okstra, words, { cwd: host.project, env: host.env });
  return words.includes("--json") ? JSON.parse(output) : output;
}

const git = (/** @type {string[]} */ ...args) => succeed("git", args, { cwd: host.project, env: host.env });

/** Prepares the next run, in which the one agent leaves `report`. @param {string} report @param {string[]} args */
async function next(report, ...args) {
  const prepared = await core("render-bundle --task auth/login --workers claude", ...args, "--json");
  mkdirSync(dirname(prepared.paths.report), { recursive: true });
  writeFileSync(prepared.paths.report, report);
  return prepared;
}

/** @param {number} stage @param {string} text */
const section = (stage, text) => `
## Stage ${stage}: ${text}

### Steps

1. Do it.

### Stage Validation

- post: \`git diff --check HEAD~1\`

### Stage Exit Contract

- Done.

### Rollback

Revert.
`;

before(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "okstra clients ")));
  model = await startModel((asked) => {
    const turn = lead(asked);
    turns.push({ said: asked.said, turn });
    return turn;
  });
  host = await machine(folder, model.url);
  await installOkstra(host);
  // What a person answers once for a folder; before that the client takes no permissions from it.
  writeFileSync(join(host.home, ".claude.json"), JSON.stringify({ projects: { [host.project]: { hasTrustDialogAccepted: true } } }));
  okstra = join(host.home, ".okstra", "bin", "okstra");
  allowed = `Bash('${okstra}':*)`;
  await core("install --project --yes");
  await git("add", ".");
  await git("commit", "--quiet", "--message=work with okstra");
  writeFileSync(join(folder, "brief.md"), "# Log in with a code\n");
  await next("# Found\n", "--category", "fix", "--brief", join(folder, "brief.md"));
  await core("finish --task auth/login --route direct-implementation-planning");
  const map = "# Log in\n\n## Stage Map\n\n| stage | title | depends-on | step-count | files |\n| --- | --- | --- | --- | --- |\n";
  const stages = "| 1 | Made | (none) | 1 | `a.txt` |\n| 2 | Sent | 1 | 1 | `b.txt` |\n";
  await next(map + stages + section(1, "Made") + section(2, "Sent"));
  await core("finish --task auth/login");
  await core("plan approve --task auth/login --by Ann --yes");
  const { stages: [{ worktree }] } = await next("# Built\n");
  writeFileSync(join(worktree, "a.txt"), "codes are made\n");
  await git("-C", worktree, "add", ".");
  await git("-C", worktree, "commit", "--quiet", "--message=Make codes");
  await core("stage done --task auth/login --stage 1");
  await core("stage integrate --task auth/login");
  await core("finish --task auth/login");
});

after(() => {
  model?.close();
  if (!process.env.OKSTRA_CLIENTS_KEEP) rmSync(folder, { recursive: true, force: true });
});

test("what a person did not allow is not run", async () => {
  const { permission_denials: denied } = await claude("Go on with the task auth/login.");
  assert.match(turns[2].said, /"next"/, "reading is allowed by what `install --project` wrote");
  assert.deepEqual(denied.map((/** @type {any} */ { tool_name, tool_input }) => [tool_name, / render-bundle /.test(tool_input.command)]), [["Bash", true]]);
});

test("in a worktree of the task, which has no settings of its own, it may do the same and no more", async () => {
  const worktree = join(host.home, ".okstra", "worktrees", "shop", "auth", "login-s1");
  rmSync(join(worktree, ".claude"), { recursive: true, force: true });
  claudeIn = worktree;
  const { permission_denials: denied } = await claude("Go on with the task auth/login.");
  claudeIn = undefined;
  await git("-C", worktree, "checkout", "--", ".");
  assert.match(turns[2].said, /"next"/);
  assert.deepEqual(denied.map((/** @type {any} */ { tool_input }) => / render-bundle /.test(tool_input.command)), [true]);
});

test("it follows the skill, meets the amended commit, and asks", async () => {
  amends = true;
  const { result } = await claude("Go on with the task auth/login.", "--allowedTools", allowed, "Read");
  assert.match(result, /^Stage 1: .*1\. the tip of its branch/);
  const did = turns.map(({ turn }) => ("text" in turn ? "asks" : `${turn.tool} ${/(status|render-bundle|git-reconcile|stale-commits)/.exec(JSON.stringify(turn.input))?.[0] ?? ""}`.trim()));
  assert.deepEqual(did, ["Skill", "Bash status", "Bash render-bundle", "Read stale-commits", "Bash git-reconcile", "asks"]);
});

test("a lead that comes later is told at once, and asks as well", async () => {
  const { guidance } = read;
  read.guidance = "";
  const { result } = await claude("Go on with the task auth/login.", "--allowedTools", allowed, "Read");
  assert.match(result, /^Stage 1: .*1\. the tip of its branch/);
  const did = turns.map(({ turn }) => ("text" in turn ? "asks" : `${turn.tool} ${/(status|git-reconcile|stale-commits)/.exec(JSON.stringify(turn.input))?.[0] ?? ""}`.trim()));
  assert.deepEqual(did, ["Skill", "Bash status", "Read stale-commits", "Bash git-reconcile", "asks"]);
  read.guidance = guidance;
});

test("with the answer it repairs the record, prepares the next stage, and reads its launch prompt", async () => {
  const { result, is_error: failed } = await claude("--continue", "My answer: 1", "--allowedTools", allowed, "Read");
  assert.equal(failed, false);
  const launch = turns.at(-1)?.said ?? "";
  assert.match(launch, /implementation-002/, result);
  assert.match(launch, /stage 2/i, result);
  const status = await core("status --task auth/login --json");
  assert.deepEqual(status.open.map((/** @type {any} */ { run }) => run), ["implementation-002"]);
  const log = readFileSync(join(host.project, ".okstra/tasks/auth/login/runs/implementation-planning/consumers.jsonl"), "utf8");
  const tip = (await git("rev-parse", branch)).trim();
  assert.ok(log.trim().split("\n").some((line) => line.includes(tip)), "the tip that the user chose is recorded");
});
