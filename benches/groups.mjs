// What is measured: one group for each line of the quality figures, with its targets.

import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { borrow } from "./clone.mjs";
import { measureContent } from "./content.mjs";
import { BenchError, progress, scratch } from "./environment.mjs";
import { TWENTY, generate } from "./generate.mjs";
import { alternate, median, run } from "./measure.mjs";
import { measurePrepare } from "./prepare.mjs";
import { measureReconcile } from "./reconcile.mjs";
import { atLeast, megabytes, milliseconds, row, under } from "./report.mjs";

const FAR = { pipeline: 15, cherry: 2 };
const NEAR = { pipeline: 20, cherry: 1.5, milliseconds: 40 };
const LIMIT = 4_000_000;
const STARTS = 20;

/**
 * Each group's `measure` takes the context `{okstra, runs, dir, repo, target, root, buildExample}` and resolves to
 * `{rows, notes}`. `okstra` is null when only the peers are measured.
 */
export const GROUPS = [
  { name: "content-10k", title: "content-merged, candidate 10,000 commits ahead, no commit-graph", measure: content({ commits: 10_000 }, FAR) },
  { name: "content-1k-small", title: "content-merged, 1,000 commits ahead, small repository", measure: content({ commits: 1000, size: "small" }, NEAR) },
  { name: "content-1k-medium", title: "content-merged, 1,000 commits ahead, medium repository", measure: content({ commits: 1000 }, NEAR) },
  { name: "content-50k", title: "content-merged, 50,000 commits ahead", measure: content({ commits: 50_000 }, { ...FAR, microseconds: 50, memory: 70 }) },
  { name: "many-stages", title: "20 stages of a task at once, candidate 10,000 commits ahead", measure: manyStages },
  { name: "state-files", title: "State files", measure: stateFiles },
  { name: "render-bundle", title: "Texts of an implementation run: 20 stages, 3 workers", measure: renderBundle },
  { name: "prepare", title: "Preparing a run", measure: measurePrepare },
  { name: "reconcile", title: "git-reconcile on a small task", measure: measureReconcile },
  { name: "startup", title: "Start of the program", measure: startup },
  { name: "size", title: "Sizes, release build", measure: sizes },
];

/** Stands in for the generated histories when a real clone is given. */
export const REPO_GROUP = { name: "repo", title: "content-merged on a real clone, no commit-graph", measure: realClone };

function content(options, targets) {
  return async (context) => measureContent(await generate(options, context.dir), targets, context);
}

async function realClone(context) {
  const { history, notes } = await borrow(context.repo);
  const measured = await measureContent(history, FAR, context);
  return { rows: measured.rows, notes: [...notes, ...measured.notes] };
}

/**
 * There is no command that asks about twenty stages, so a small Rust program does: `many-stages DIR` prints
 * `{"oneMs": …, "twentyMs": …}`. DIR is a repository with the branches `base`, `main` and `stage-1` to `stage-20`.
 */
async function manyStages({ okstra, runs, dir, target, root, buildExample }) {
  const line = (one, twenty) =>
    row("20 stages against one, times as long", {
      okstra: milliseconds(twenty),
      peer: milliseconds(one),
      ratio: one && twenty / one,
      target: under(2, "×"),
    });
  if (okstra === null || !existsSync(join(root, "benches", "many_stages.rs"))) {
    return { rows: [line(null, null)], notes: ["not measured: there is no benches/many_stages.rs"] };
  }
  await buildExample("many-stages");
  const { folder } = await generate({ stages: TWENTY }, dir);
  const command = { name: "many-stages", argv: [join(target, "release", "examples", "many-stages"), folder], cwd: folder };
  const pairs = [];
  for (let i = 0; i <= runs; i += 1) {
    progress(`run ${i} of ${runs}: many-stages`);
    pairs.push(readFigures("many-stages", ["oneMs", "twentyMs"], (await run(command, { keepOutput: true })).output));
  }
  const [one, twenty] = ["oneMs", "twentyMs"].map((key) => median(pairs.slice(1).map((pair) => pair[key])));
  return { rows: [line(one, twenty)], notes: ["the peer is okstra with one stage"] };
}

/** The figures that a program of ours printed as one JSON object; each of `keys` must be there. */
function readFigures(name, keys, output) {
  try {
    const figures = JSON.parse(output);
    if (keys.every((key) => figures[key] > 0)) return figures;
  } catch {
    // Said below.
  }
  throw new BenchError(`${name} did not print {${keys.map((key) => `"${key}": …`).join(", ")}}`, { code: "wrong-answer" });
}

/**
 * A small Rust program makes the files and measures within its process: `state-files DIR` prints `{"readMs": …,
 * "appendMs": …, "shortAppendMs": …, "reserveMs": …, …}`.
 */
async function stateFiles({ okstra, runs, target, root, buildExample }) {
  const lines = (read, append, short, reserve) => [
    row("read a log of 100,000 rows", { okstra: milliseconds(read), value: read, target: under(100, "ms") }),
    row("add a row to it, with the scan for the same row", { okstra: milliseconds(append), peer: milliseconds(short), value: append, target: under(100, "ms") }),
    row("reserve a task among 10,000 in the registry", { okstra: milliseconds(reserve), value: reserve, target: under(50, "ms") }),
  ];
  if (okstra === null || !existsSync(join(root, "benches", "state_files.rs"))) {
    return { rows: lines(null, null, null, null), notes: ["not measured: there is no benches/state_files.rs"] };
  }
  await buildExample("state-files");
  const keys = ["readMs", "appendMs", "shortAppendMs", "reserveMs"];
  const figures = [];
  for (let i = 0; i <= runs; i += 1) {
    progress(`run ${i} of ${runs}: state-files`);
    const folder = scratch("okstra-bench-state-files-");
    const command = { name: "state-files", argv: [join(target, "release", "examples", "state-files"), folder], cwd: folder };
    figures.push(readFigures(command.name, keys, (await run(command, { keepOutput: true })).output));
  }
  const medians = keys.map((key) => median(figures.slice(1).map((figure) => figure[key])));
  const { logBytes, registryBytes } = figures[0];
  const sizes = `the log has ${megabytes(logBytes)}, the registry ${megabytes(registryBytes)}`;
  return { rows: lines(...medians), notes: [`${sizes}; the peer is a log of 10 rows; what is written is flushed to the disk`] };
}

/** A small Rust program renders within its process: `render-bundle` prints `{"firstMs": …, "thousandMs": …, …}`. */
async function renderBundle({ okstra, runs, target, root, buildExample }) {
  const lines = (first, thousand) => [
    row("the first bundle of a process", { okstra: milliseconds(first), value: first, target: under(10, "ms") }),
    row("1,000 bundles in a process", { okstra: milliseconds(thousand), value: thousand, target: under(1000, "ms") }),
  ];
  if (okstra === null || !existsSync(join(root, "benches", "render_bundle.rs"))) {
    return { rows: lines(null, null), notes: ["not measured: there is no benches/render_bundle.rs"] };
  }
  await buildExample("render-bundle");
  const figures = [];
  for (let i = 0; i <= runs; i += 1) {
    progress(`run ${i} of ${runs}: render-bundle`);
    const command = { name: "render-bundle", argv: [join(target, "release", "examples", "render-bundle")], cwd: root };
    figures.push(readFigures(command.name, ["firstMs", "thousandMs"], (await run(command, { keepOutput: true })).output));
  }
  const medians = ["firstMs", "thousandMs"].map((key) => median(figures.slice(1).map((figure) => figure[key])));
  return { rows: lines(...medians), notes: [] };
}

async function startup({ okstra, runs }) {
  const node = { name: "node -e 0", argv: [process.execPath, "-e", "0"], repeat: STARTS };
  const ours = okstra === null ? [] : [{ name: "okstra --version", argv: [okstra, "--version"], repeat: STARTS }];
  const times = await alternate([node, ...ours], runs);
  const own = times["okstra --version"]?.median ?? null;
  const peer = times[node.name].median;
  const figures = { okstra: milliseconds(own), peer: milliseconds(peer), ratio: own && peer / own, target: atLeast(10, "×") };
  return { rows: [row("okstra --version, against node -e 0", figures)], notes: [`whole processes, each run the mean of ${STARTS} starts`] };
}

async function sizes({ okstra, target, root }) {
  const line = (what, file) => {
    const bytes = file === null ? null : statSync(file).size;
    return row(what, { okstra: megabytes(bytes), value: bytes && bytes / 1e6, target: under(LIMIT / 1e6, "MB") });
  };
  const addon = findAddon(root, target);
  const notes = addon === null ? ["the addon is not built: neither npm/okstra.<platform>.node nor the library in target/release is there"] : [];
  return { rows: [line("executable", okstra), line("addon for Node", addon)], notes };
}

/** The addon that was built last. */
function findAddon(root, target) {
  const packages = join(root, "npm");
  const ready = existsSync(packages) ? readdirSync(packages).filter((name) => /^okstra\..+\.node$/.test(name)) : [];
  const built = ["libokstra_node.so", "libokstra_node.dylib", "okstra_node.dll"];
  const files = [...ready.map((name) => join(packages, name)), ...built.map((name) => join(target, "release", name))].filter((file) => existsSync(file));
  return files.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0] ?? null;
}
