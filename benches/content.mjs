// Measures `okstra content-merged` on one history against what git offers: the patch-id pipeline and `git cherry`.

import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { BenchError, scratch } from "./environment.mjs";
import { alternate, peakMemory, run } from "./measure.mjs";
import { atLeast, atMost, memory, milliseconds, row, under } from "./report.mjs";

const PIPELINE = "pipeline";
const LANDINGS = {
  rebase: { label: "stage landed as a rebase", contained: true },
  squash: { label: "stage landed as a squash", contained: true },
  none: { label: "stage not landed, all is searched", contained: false },
};

/**
 * The rows of one history `{folder, base, candidate, candidateCommit, commits, stages: [{head, landing} or {head, label}]}`.
 * `targets` are `{pipeline, cherry}` (times faster) and, where wanted, `milliseconds`, `microseconds` (for each
 * candidate commit) and `memory` (share of `git log -p`'s peak).
 */
export async function measureContent(history, targets, { okstra, runs }) {
  const pipeline = pipelineCommand(history);
  const stages = history.stages.map((stage) => ({
    label: stage.label ?? LANDINGS[stage.landing].label,
    contained: stage.landing === undefined ? null : LANDINGS[stage.landing].contained,
    head: stage.head,
    cherry: { name: `git cherry (stage ${stage.number})`, argv: ["git", "cherry", history.candidateCommit, stage.head, history.base], cwd: history.folder },
  }));
  const notes = [];
  if (okstra !== null) await addOkstra(stages, history, okstra, notes);
  const commands = [pipeline, ...stages.map(({ cherry }) => cherry), ...stages.flatMap(({ ours }) => ours ?? [])];
  const times = await alternate(commands, runs);
  const rows = stages.flatMap((stage) => timeRows(stage, times, targets, history.commits));
  if (targets.memory !== undefined) rows.push(...(await memoryRows(history, stages, targets.memory, notes)));
  return { rows, notes };
}

function pipelineCommand({ folder, base, candidateCommit }) {
  const script = 'git log -p --no-merges "$1..$2" | git patch-id --stable';
  return { name: PIPELINE, argv: ["/bin/sh", "-c", script, "sh", base, candidateCommit], cwd: folder, silent: true };
}

/** Asks okstra once, so that only right answers are timed, and adds the command to each stage. */
async function addOkstra(stages, history, okstra, notes) {
  const cold = coldStart(history.folder);
  for (const stage of stages) {
    const flags = ["--commit", stage.head, "--base", history.base, "--candidate", history.candidate, "--project-root", history.folder, "--json"];
    const expect = stage.contained === null ? [0, 2] : stage.contained ? [0] : [2];
    stage.ours = { name: `okstra (${stage.label})`, argv: [okstra, "content-merged", ...flags], cwd: history.folder, expect, before: cold };
    notes.push(`${stage.label}: ${answer(await run(stage.ours, { keepOutput: true }), stage)}`);
  }
}

function answer({ output }, { label, contained }) {
  const said = parseAnswer(output, label);
  const right = contained === null || (said.verdict === "contained") === contained;
  if (!right) throw new BenchError(`okstra answered \`${said.verdict}\` for: ${label}`, { code: "wrong-answer" });
  return `verdict ${said.verdict}, proof ${said.proof ?? "none"}, effect ${said.effect}`;
}

function parseAnswer(output, label) {
  try {
    return JSON.parse(output);
  } catch {
    throw new BenchError(`okstra printed no JSON for: ${label}`, { code: "wrong-answer" });
  }
}

/**
 * Before each run: a new `OKSTRA_HOME`, and nothing in the repository that was not there at first. These lines measure a
 * search that starts from nothing; one with a cache would leave this out.
 */
function coldStart(folder) {
  const watched = [folder, join(folder, ".git"), join(folder, ".git", "objects", "info")];
  const atFirst = new Map(watched.map((place) => [place, new Set(readdirSync(place))]));
  return () => {
    for (const [place, names] of atFirst) {
      for (const name of readdirSync(place)) {
        if (!names.has(name)) rmSync(join(place, name), { recursive: true, force: true });
      }
    }
    return { OKSTRA_HOME: scratch("okstra-bench-state-") };
  };
}

function timeRows({ label, cherry, ours }, times, targets, commits) {
  const own = ours === undefined ? null : times[ours.name].median;
  const against = (name, peer, target) =>
    row(`${label}, against ${name}`, { okstra: milliseconds(own), peer: milliseconds(peer), ratio: own && peer / own, target: atLeast(target, "×") });
  const rows = [against(PIPELINE, times[PIPELINE].median, targets.pipeline), against("git cherry", times[cherry.name].median, targets.cherry)];
  if (targets.milliseconds !== undefined) {
    rows.push(row(`${label}, time`, { okstra: milliseconds(own), value: own, target: under(targets.milliseconds, "ms") }));
  }
  if (targets.microseconds !== undefined) {
    const each = own && (own * 1000) / commits;
    rows.push(row(`${label}, for each candidate commit`, { okstra: own === null ? null : `${each.toFixed(1)} µs`, value: each, target: atMost(targets.microseconds, "µs") }));
  }
  return rows;
}

async function memoryRows(history, stages, target, notes) {
  const log = { name: "git log -p", argv: ["git", "log", "-p", "--no-merges", `${history.base}..${history.candidateCommit}`], cwd: history.folder };
  const peer = await peakMemory(log);
  notes.push(peer.kib === null ? `memory was not measured: ${peer.how}` : `memory: peak resident set, mapped pack files included (${peer.how})`);
  const rows = [];
  for (const { label, ours } of stages) {
    const own = ours === undefined ? { kib: null } : await peakMemory(ours);
    const share = own.kib && peer.kib && (100 * own.kib) / peer.kib;
    rows.push(row(`${label}, peak memory against git log -p`, { okstra: memory(own.kib), peer: memory(peer.kib), share, target: atMost(target, "%") }));
  }
  return rows;
}
