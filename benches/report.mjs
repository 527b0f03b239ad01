// Rows, tables and documents: how the figures are shown on a terminal, in the README and as JSON.

import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { BenchError, git } from "./environment.mjs";

const START = "<!-- bench:start -->";
const END = "<!-- bench:end -->";
const NOTHING = "–";
const HEADINGS = ["what", "okstra", "peer", "ratio", "target", "reached"];

export const atLeast = (number, unit) => ({ number, unit, sign: "≥", holds: (value) => value >= number });
export const atMost = (number, unit) => ({ number, unit, sign: "≤", holds: (value) => value <= number });
export const under = (number, unit) => ({ number, unit, sign: "<", holds: (value) => value < number });

/**
 * One row. What is compared with the target is `ratio` (the peer's figure divided by okstra's), `share` (in percent) or
 * `value` (a figure by itself); null where nothing was measured, and then the target is neither reached nor missed.
 */
export function row(what, { okstra = null, peer = null, ratio, share, value, target }) {
  const measured = ratio ?? share ?? value ?? null;
  const shown = ratio != null ? `${number(ratio)}×` : share != null ? `${number(share)} %` : null;
  return { what, okstra, peer, ratio: shown, target: `${target.sign} ${target.number} ${target.unit}`, measured, reached: measured === null ? null : target.holds(measured) };
}

export function milliseconds(ms) {
  return ms === null ? null : `${number(ms)} ms`;
}

export function memory(kib) {
  return kib === null ? null : `${number(kib / 1024)} MiB`;
}

export function megabytes(bytes) {
  return bytes === null ? null : `${(bytes / 1e6).toFixed(2)} MB`;
}

/** Three digits that count, thousands apart. */
export function number(value) {
  const digits = value < 10 ? 2 : value < 100 ? 1 : 0;
  return value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** What the figures were measured on, without anything that names the machine. */
export async function describeMachine() {
  return {
    cpu: `${process.arch}, ${genericModel(cpus()[0]?.model ?? "")}`,
    cores: cpus().length,
    system: process.platform,
    git: (await git(".", ["--version"])).replace(/^git version /, ""),
    node: process.versions.node,
  };
}

/** The family of the processor: marks, numbers and clock rates are left out. */
function genericModel(model) {
  const words = model.replace(/\((R|TM|C)\)/gi, " ").replace(/@.*/, "").split(/\s+/);
  const family = words.filter((part) => /^[A-Za-z]+$/.test(part) || /^M\d$/.test(part)).filter((part) => !/^(CPU|Processor|with|Core)$/i.test(part));
  return family.slice(0, 3).join(" ") || "unknown processor";
}

function cells({ what, okstra, peer, ratio, target, reached }) {
  return [what, okstra ?? NOTHING, peer ?? NOTHING, ratio ?? NOTHING, target, reached === null ? NOTHING : reached ? "yes" : "no"];
}

export function textReport({ machine, runs, groups }) {
  const parts = groups.map(({ title, rows, notes }) => [title, textTable(rows), ...notes.map((note) => `  ${note}`), ""].join("\n"));
  return `${machineLine(machine, runs)}\n\n${parts.join("\n")}`;
}

function textTable(rows) {
  const all = [HEADINGS, ...rows.map(cells)];
  const widths = HEADINGS.map((_, column) => Math.max(...all.map((line) => line[column].length)));
  const pad = (text, column) => (column === 0 || column >= 4 ? text.padEnd(widths[column]) : text.padStart(widths[column]));
  return all.map((line) => `  ${line.map(pad).join("  ")}`.trimEnd()).join("\n");
}

function machineLine({ cores, cpu, system, git: gitVersion, node }, runs) {
  return `${cores} ${cores === 1 ? "core" : "cores"}, ${cpu}, ${system}; git ${gitVersion}, node ${node}; medians of ${runs} runs.`;
}

function markdown({ machine, runs, groups }) {
  const parts = groups.map(({ title, rows }) => {
    const body = rows.map((line) => `| ${cells(line).map((text) => text.replaceAll("|", "\\|")).join(" | ")} |`);
    return [`**${title}**`, "", `| ${HEADINGS.join(" | ")} |`, "| --- | ---: | ---: | ---: | --- | --- |", ...body, ""].join("\n");
  });
  return `${parts.join("\n")}\n${machineLine(machine, runs)} The pipeline is \`git log -p --no-merges B..C | git patch-id --stable\`.\n`;
}

/** Where the README's figures go; an error when there is no such place, before anything is measured. */
export function openReadme(file) {
  const text = readReadme(file);
  const from = text.indexOf(START);
  const to = text.indexOf(END);
  if (from < 0 || to < from) throw new BenchError(`${file} has no ${START} … ${END}`, { code: "no-place", hint: "add the two lines where the figures belong" });
  return (document) => {
    const draft = `${file}.${process.pid}.new`;
    writeFileSync(draft, `${text.slice(0, from + START.length)}\n\n${markdown(document)}\n${text.slice(to)}`);
    renameSync(draft, file);
  };
}

function readReadme(file) {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new BenchError(`${file} cannot be read: ${error.message}`, { code: "no-place" });
  }
}
