// A real clone as a benchmark history. The clone is only read: a scratch repository borrows its objects, and the
// stages are written there.

import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BenchError, feedGit, git, progress, scratch } from "./environment.mjs";

const WANTED = 10_000;
const TRIES = 200;
const PLAIN_PATH = /^[A-Za-z0-9_./+-]+$/;

/** The clone at `clone` as a history for `measureContent`, with `notes` about what was found. */
export async function borrow(clone) {
  const source = await inspect(clone);
  const folder = await makeScratch(source);
  const { base, commits } = await findBase(folder, source.tip);
  const history = { folder, base, commits, candidate: "refs/heads/main", candidateCommit: source.tip, stages: [] };
  const notes = [`${commits.toLocaleString("en-US")} commits from the base to the tip (${WANTED.toLocaleString("en-US")} asked for)`];
  if (source.commitGraph) notes.push("the clone has a commit-graph; it is switched off here with core.commitGraph=false");
  await addStage(history, "synthetic stage, not landed, all is searched", false, await writeStage(history));
  const taken = await takeStage(history);
  if (taken === null) notes.push("no three commits make the same changes on the base: no landed stage here");
  else await addStage(history, "stage of three commits of the candidate", null, taken);
  return { history, notes };
}

async function addStage(history, label, contained, head) {
  const number = history.stages.length + 1;
  await git(history.folder, ["update-ref", `refs/heads/stage-${number}`, head]);
  history.stages.push(contained === null ? { number, label, head } : { number, label, landing: "none", head });
}

async function inspect(clone) {
  const common = existsSync(clone) ? await git(clone, ["rev-parse", "--path-format=absolute", "--git-common-dir"], { quiet: true }) : null;
  if (common === null) throw new BenchError(`${clone} is not a git repository that can be read`, { code: "not-a-repository" });
  const tip = await git(clone, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], { quiet: true });
  if (tip === null) throw new BenchError(`${clone} has no commit yet`, { code: "not-a-repository" });
  const partial = await git(clone, ["config", "--get-regexp", "^remote\\..*\\.promisor$"], { quiet: true });
  if (partial !== null) throw new BenchError(`${clone} is a partial clone; git would fetch while it is measured`, { code: "partial-clone" });
  const objects = join(common, "objects");
  return {
    tip,
    objects,
    shallow: join(common, "shallow"),
    format: await git(clone, ["rev-parse", "--show-object-format"]),
    commitGraph: ["commit-graph", "commit-graphs"].some((name) => existsSync(join(objects, "info", name))),
  };
}

async function makeScratch({ tip, objects, shallow, format, commitGraph }) {
  const folder = scratch("okstra-bench-clone-");
  await git(folder, ["init", "--quiet", `--object-format=${format}`, "--initial-branch=main"]);
  mkdirSync(join(folder, ".git", "objects", "info"), { recursive: true });
  writeFileSync(join(folder, ".git", "objects", "info", "alternates"), `${objects}\n`);
  if (existsSync(shallow)) copyFileSync(shallow, join(folder, ".git", "shallow"));
  if (commitGraph) await git(folder, ["config", "core.commitGraph", "false"]);
  await git(folder, ["update-ref", "refs/heads/main", tip]);
  return folder;
}

/** The nearest commit on the first-parent line that the tip is at least so many commits ahead of, or else the oldest. */
async function findBase(folder, tip) {
  progress("looking for the base");
  const line = (await git(folder, ["rev-list", "--first-parent", tip])).split("\n");
  if (line.length < 2) throw new BenchError("the clone has a single commit on its first-parent line", { code: "too-few-commits" });
  const ahead = async (at) => Number(await git(folder, ["rev-list", "--count", `${line[at]}..${tip}`]));
  let high = 1;
  while (high < line.length - 1 && (await ahead(high)) < WANTED) high = Math.min(high * 2, line.length - 1);
  let low = high >> 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((await ahead(middle)) < WANTED) low = middle;
    else high = middle;
  }
  return { base: line[high], commits: await ahead(high) };
}

/** A stage of three commits that add lines to files of the base: busy ones, quiet ones, and one that is new. */
async function writeStage({ folder, base, candidateCommit }) {
  progress("writing a stage");
  const files = await chooseFiles(folder, base, candidateCommit);
  const pieces = [];
  const first = files[0];
  [[first, files[1 % files.length]], [files[1 % files.length], files[2 % files.length]], [files.at(-1), first]].forEach((touched, i) => {
    const entries = [...new Set(touched)].map((file) => {
      file.lines.splice(Math.floor((file.lines.length * (i + 1)) / 4), 0, `a line of stage commit ${i + 1}`, "and another one");
      return inline(file.mode, file.path, file.lines.join("\n"));
    });
    if (i === 0) entries.push(inline("100644", "okstra-bench-stage.txt", "a file of the stage\n"));
    pieces.push(commitHead(i) + `${entries.join("")}\n`);
  });
  return importWork(folder, base, pieces);
}

function inline(mode, path, text) {
  return `M ${mode} inline ${path}\ndata ${text.length}\n${text}\n`;
}

async function chooseFiles(folder, base, tip) {
  const touches = new Map();
  for (const path of (await git(folder, ["log", "--format=", "--name-only", "-z", "--no-renames", `${base}..${tip}`])).split("\0")) {
    touches.set(path, (touches.get(path) ?? 0) + 1);
  }
  const there = new Set((await git(folder, ["ls-tree", "-r", "-z", "--name-only", tip])).split("\0"));
  const all = (await git(folder, ["ls-tree", "-r", "-l", "-z", base])).split("\0").flatMap((entry) => {
    const [, mode, id, size, path] = /^(100\d+) blob (\S+)\s+(\d+)\t(.*)$/s.exec(entry) ?? [];
    const fits = path !== undefined && PLAIN_PATH.test(path) && there.has(path) && size > 600 && size < 100_000;
    return fits ? [{ mode, id, path, touches: touches.get(path) ?? 0 }] : [];
  });
  all.sort((a, b) => b.touches - a.touches || (a.path < b.path ? -1 : 1));
  const chosen = [];
  for (const place of [0.01, 0.1, 0.3, 0.8]) {
    for (const file of all.slice(Math.floor(place * all.length))) {
      if (chosen.includes(file)) continue;
      const text = await git(folder, ["cat-file", "blob", file.id], { raw: true });
      if (text.includes("\0")) continue;
      chosen.push(Object.assign(file, { lines: text.split("\n") }));
      break;
    }
  }
  if (chosen.length === 0) throw new BenchError("the clone has no text file that is in the base and in the tip", { code: "no-files" });
  return chosen;
}

/**
 * Three commits from the later half of the candidate's, each reachable from the next, whose files the base has as
 * they were before: put on the base they make the same changes. Null when there are none. Nothing but `fast-import` writes
 * here: other commands would touch the times of the clone's pack files.
 */
async function takeStage({ folder, base, candidateCommit }) {
  progress("taking over a stage");
  const present = new Map((await git(folder, ["ls-tree", "-r", "-z", base])).split("\0").map((entry) => [entry.slice(entry.indexOf("\t") + 1), entry.split(/[ \t]/)[2]]));
  const text = await git(folder, ["log", "--raw", "--no-abbrev", "--no-renames", "--no-merges", "--reverse", "--topo-order", "--format=%x00%H", `${base}..${candidateCommit}`]);
  const commits = text.split("\0").slice(1);
  const taken = [];
  let tries = 0;
  for (const commit of commits.slice(commits.length >> 1)) {
    const [id, ...lines] = commit.trim().split(/\n+/);
    const changes = lines.map((line) => /^:\d+ (\d+) (\S+) (\S+) [AMD]\t(.*)$/.exec(line)).map((found) => found && { mode: found[1], before: found[2], after: found[3], path: found[4] });
    const same = (change) => change !== null && PLAIN_PATH.test(change.path) && (present.get(change.path) ?? "").padEnd(change.before.length, "0") === change.before;
    if (changes.length === 0 || !changes.every(same)) continue;
    tries += 1;
    if (tries > TRIES) return null;
    if (taken.length > 0 && (await git(folder, ["merge-base", "--is-ancestor", taken.at(-1).id, id], { quiet: true })) === null) continue;
    for (const { path, after } of changes) present.set(path, /^0+$/.test(after) ? "" : after);
    if (taken.push({ id, changes }) === 3) return importTaken(folder, base, taken);
  }
  return null;
}

async function importTaken(folder, base, taken) {
  const pieces = taken.map(({ changes }, i) => {
    const entries = changes.map(({ mode, after, path }) => (/^0+$/.test(after) ? `D ${path}\n` : `M ${mode} ${after} ${path}\n`));
    return commitHead(i) + `${entries.join("")}\n`;
  });
  return importWork(folder, base, pieces);
}

function commitHead(i) {
  const who = `Bench <bench@example.com> ${1_700_000_000 + i} +0000`;
  return `commit refs/heads/work\nauthor ${who}\ncommitter ${who}\ndata 12\nstage part ${i + 1}\n`;
}

async function importWork(folder, base, pieces) {
  const text = `reset refs/heads/work\nfrom ${base}\n\n${pieces.join("")}done\n`;
  await feedGit(folder, ["-c", "fastimport.unpackLimit=0", "fast-import", "--quiet", "--done", "--force"], [Buffer.from(text, "latin1")]);
  const head = await git(folder, ["rev-parse", "refs/heads/work"]);
  await git(folder, ["update-ref", "-d", "refs/heads/work"]);
  return head;
}
