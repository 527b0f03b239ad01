#!/usr/bin/env node
// Makes the repositories for the history benchmarks, and keeps them in the temporary folder for the next time.
// One `git fast-import`, one `git repack`; the same options give the same commits on every machine.
//
//   node benches/generate.mjs [--seed N] [--commits N] [--size small|medium] [--stages rebase,squash,none] [--dir DIR]

import { createHash } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import { BenchError, discard, endProgress, feedGit, git, keep, progress, scratch } from "./environment.mjs";
import { stream } from "./history.mjs";
import { parse, report, wholeNumber } from "./options.mjs";
import { SIZES } from "./tree.mjs";

/** Raise it when the same options give other bytes. */
const VERSION = 1;
const LANDINGS = ["rebase", "squash", "none"];
const MANIFEST = "okstra-bench.json";

export const DEFAULTS = { seed: 1, commits: 10_000, size: "medium", stages: LANDINGS };

/** Twenty stages of one base, each landed as a squash. */
export const TWENTY = new Array(20).fill("squash");

/**
 * The repository for these options: made now, or found where it was made before. Resolves to
 * `{folder, commits, base, candidate, stages: [{number, landing, ref, head}]}`.
 */
export async function generate(options = {}, place = defaultPlace()) {
  const wanted = { ...DEFAULTS, ...options };
  check(wanted);
  const folder = join(makePlace(place), `${wanted.size}-${wanted.commits}-${key(wanted)}`);
  if (!existsSync(folder)) await make(wanted, place, folder);
  const manifest = JSON.parse(readFileSync(join(folder, ".git", MANIFEST), "utf8"));
  return { folder, ...manifest };
}

export function defaultPlace() {
  return join(tmpdir(), `okstra-bench-${process.getuid?.() ?? "user"}`);
}

function key(options) {
  return createHash("sha256").update(JSON.stringify([VERSION, options.seed, options.commits, options.size, options.stages])).digest("hex").slice(0, 12);
}

function check({ commits, size, stages }) {
  if (!Object.hasOwn(SIZES, size)) throw new BenchError(`there is no size \`${size}\`; there are ${Object.keys(SIZES).join(" and ")}`, { code: "usage" });
  const strange = stages.find((landing) => !LANDINGS.includes(landing));
  if (strange !== undefined) throw new BenchError(`a stage lands as ${LANDINGS.join(", ")}, not as \`${strange}\``, { code: "usage" });
  if (commits < 20 + 10 * stages.length) throw new BenchError(`${commits} commits are too few for ${stages.length} stages`, { code: "usage" });
}

/** The temporary folder is everyone's: use only a folder of our own. */
function makePlace(place) {
  mkdirSync(place, { recursive: true, mode: 0o700 });
  const found = lstatSync(place);
  if (process.getuid && found.uid !== process.getuid()) {
    throw new BenchError(`${place} belongs to somebody else`, { code: "foreign-folder", hint: "choose another folder with --dir" });
  }
  return place;
}

async function make(options, place, folder) {
  const draft = scratch("unfinished-", place);
  await git(draft, ["init", "--quiet", "--object-format=sha1", "--initial-branch=main"]);
  const heard = (done, all) => progress(`making a ${options.size} repository: ${done} of ${all} commits`);
  // Nothing is compressed here: the repack does all of it, and reads plain data faster than it could be written packed.
  const arguments_ = ["-c", "core.compression=0", "fast-import", "--quiet", "--done", "--depth=0", "--date-format=raw"];
  await feedGit(draft, arguments_, Readable.from(stream(options, heard)));
  progress(`packing ${options.commits} commits`);
  await git(draft, ["-c", "pack.threads=1", "-c", "pack.writeBitmapHashCache=false", "repack", "-adFq", "--no-write-bitmap-index"]);
  writeFileSync(join(draft, ".git", MANIFEST), `${JSON.stringify(await describe(draft, options), null, 2)}\n`);
  endProgress();
  try {
    renameSync(draft, folder);
    keep(draft);
  } catch (error) {
    // Another bench run may have been quicker.
    discard(draft);
    if (!existsSync(folder)) throw error;
  }
}

async function describe(draft, { seed, commits, size, stages }) {
  const refs = new Map((await git(draft, ["for-each-ref", "--format=%(refname) %(objectname)"])).split("\n").map((line) => line.split(" ")));
  const count = Number(await git(draft, ["rev-list", "--count", "base..main"]));
  if (count !== commits) throw new BenchError(`the generator made ${count} commits instead of ${commits}`, { code: "bug" });
  const described = stages.map((landing, i) => {
    const ref = `refs/heads/stage-${i + 1}`;
    return { number: i + 1, landing, ref, head: refs.get(ref) };
  });
  return { seed, size, commits, base: refs.get("refs/heads/base"), candidate: "refs/heads/main", candidateCommit: refs.get("refs/heads/main"), stages: described };
}

const FLAGS = {
  seed: { value: "N", read: wholeNumber(0), help: "the history's seed (1)" },
  commits: { value: "N", read: wholeNumber(1), help: "commits from the fork to the candidate's tip (10000)" },
  size: { value: "SIZE", help: "small (about 300 files) or medium (about 3,000)" },
  stages: { value: "LIST", read: (text) => (text === "twenty" ? TWENTY : text.split(",")), help: "how each stage lands: rebase, squash or none; or `twenty`" },
  dir: { value: "DIR", read: (text) => resolve(text), help: "where the repositories are kept (the temporary folder)" },
};

async function main() {
  const options = parse("node benches/generate.mjs", FLAGS, process.argv.slice(2));
  if (options === null) return;
  const { dir, ...wanted } = options;
  process.stdout.write(`${JSON.stringify(await generate(wanted, dir), null, 2)}\n`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  main().catch((error) => report(error, false));
}
