// What is measured: one group for each line of the quality figures, with its targets.

import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { borrow } from "./clone.mjs";
import { measureContent } from "./content.mjs";
import { BenchError, progress } from "./environment.mjs";
import { TWENTY, generate } from "./generate.mjs";
import { alternate, median, run } from "./measure.mjs";
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
    pairs.push(readPair((await run(command, { keepOutput: true })).output));
  }
  const [one, twenty] = ["oneMs", "twentyMs"].map((key) => median(pairs.slice(1).map((pair) => pair[key])));
  return { rows: [line(one, twenty)], notes: ["the peer is okstra with one stage"] };
}

function readPair(output) {
  try {
    const pair = JSON.parse(output);
    if (pair.oneMs > 0 && pair.twentyMs > 0) return pair;
  } catch {
    // Said below.
  }
  throw new BenchError('many-stages did not print {"oneMs": …, "twentyMs": …}', { code: "wrong-answer" });
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
