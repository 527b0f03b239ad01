// Measures whole processes: wall time and peak memory. What is measured alternates (A, B, C, A, B, C, …) after a
// warm-up of each, so that a slow minute of the machine falls on all of them; the figure is the median.

import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BenchError, cleanEnvironment, firstLine, progress, scratch, watch } from "./environment.mjs";

const KEPT = 64 * 1024;

/**
 * Runs a command once. A command is `{name, argv, cwd?, env?, expect?, repeat?, before?}`: `expect` are the exit codes that are
 * no error ([0]), with `silent` any word on stderr is one, `before` is called first and may give further environment variables, `repeat` starts the program so
 * many times (see `repeated`). Resolves to `{ms, status, output}`; output is read to its end, and kept (its
 * first part) only with `keepOutput`.
 */
export async function run(command, { keepOutput = false, argv = repeated(command) } = {}) {
  const env = cleanEnvironment({ ...command.env, ...command.before?.() });
  const started = process.hrtime.bigint();
  const child = watch(spawn(argv[0], argv.slice(1), { cwd: command.cwd, env, stdio: ["ignore", "pipe", "pipe"] }));
  let ended = started;
  child.once("exit", () => (ended = process.hrtime.bigint()));
  const output = gather(child.stdout, keepOutput);
  const complaint = gather(child.stderr, true);
  const { status, signal } = await new Promise((resolve, reject) => {
    child.once("error", (error) => reject(new BenchError(`${command.name} could not be started: ${error.message}`, { code: "not-started" })));
    child.once("close", (code, name) => resolve({ status: code, signal: name }));
  });
  const { expect = [0], silent = false } = command;
  if (!expect.includes(status) || (silent && complaint() !== "")) {
    const how = signal === null ? `exit code ${status}` : signal;
    throw new BenchError(`${command.name} failed (${how}): ${complaint().trim() || firstLine(output()) || "it said nothing"}`, { code: "measured-failed" });
  }
  return { ms: Number(ended - started) / 1e6 / (command.repeat ?? 1), status, output: output() };
}

function gather(stream, kept) {
  const pieces = [];
  let size = 0;
  stream.on("data", (piece) => {
    if (kept && size < KEPT) pieces.push(piece);
    size += piece.length;
  });
  return () => Buffer.concat(pieces).toString("utf8").slice(0, KEPT);
}

/**
 * A program that ends within milliseconds is started `repeat` times by one small shell, since starting it from
 * here costs as much as the program itself.
 */
function repeated({ argv, repeat = 1 }) {
  if (repeat === 1) return argv;
  return ["/bin/sh", "-c", 'n=$1; shift; while [ "$n" -gt 0 ]; do "$@" >/dev/null || exit 1; n=$((n-1)); done', "sh", String(repeat), ...argv];
}

/** Medians in milliseconds by name, after one warm-up each and `runs` rounds: `{name: {median, samples}}`. */
export async function alternate(commands, runs) {
  const samples = new Map(commands.map(({ name }) => [name, []]));
  for (let round = 0; round <= runs; round += 1) {
    for (const command of commands) {
      progress(`${round === 0 ? "warm-up" : `run ${round} of ${runs}`}: ${command.name}`);
      const { ms } = await run(command);
      if (round > 0) samples.get(command.name).push(ms);
    }
  }
  return Object.fromEntries([...samples].map(([name, list]) => [name, { median: median(list), samples: list }]));
}

export function median(list) {
  const sorted = [...list].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * The peak memory of a command (its resident set, mapped pack files included): `{kib, how}`, the median of `runs`. `kib` is null
 * where it cannot be measured, and `how` says why. Measured apart from the times.
 */
export async function peakMemory(command, runs = 3) {
  const gauge = chooseGauge();
  if (gauge.measure === null) return { kib: null, how: gauge.how };
  const list = [];
  for (let i = 0; i < runs; i += 1) {
    progress(`memory: ${command.name}`);
    list.push(await gauge.measure(command));
  }
  return list.includes(null) ? { kib: null, how: "the process was over before its memory could be read" } : { kib: median(list), how: gauge.how };
}

let chosen = null;

/** GNU time, BSD time, or on Linux the kernel's own high-water mark read while the process runs. */
function chooseGauge() {
  chosen ??= works(["-f", "%M", "true"], /^\d+\s*$/)
    ? { measure: gnuTime, how: "GNU time" }
    : works(["-l", "true"], /\d+\s+maximum resident set size/)
      ? { measure: bsdTime, how: "BSD time" }
      : process.platform === "linux"
        ? { measure: sampled, how: "VmHWM, read every few milliseconds" }
        : { measure: null, how: "no /usr/bin/time that knows memory" };
  return chosen;
}

function works(args, expected) {
  const { status, stderr } = spawnSync("/usr/bin/time", args, { encoding: "utf8" });
  return status === 0 && expected.test(stderr);
}

async function gnuTime(command) {
  const file = join(scratch("okstra-bench-time-"), "kib");
  await run(command, { argv: ["/usr/bin/time", "-f", "%M", "-o", file, ...command.argv] });
  // With an exit code other than 0 a sentence about it comes first.
  return Number(readFileSync(file, "utf8").trim().split("\n").at(-1));
}

async function bsdTime(command) {
  const file = join(scratch("okstra-bench-time-"), "report");
  await run(command, { argv: ["/bin/sh", "-c", 'f=$1; shift; exec /usr/bin/time -l -o "$f" "$@"', "sh", file, ...command.argv] });
  const [, bytes] = /(\d+)\s+maximum resident set size/.exec(readFileSync(file, "utf8"));
  return Number(bytes) / 1024;
}

function sampled(command) {
  return new Promise((resolve, reject) => {
    const env = cleanEnvironment({ ...command.env, ...command.before?.() });
    const child = watch(spawn(command.argv[0], command.argv.slice(1), { cwd: command.cwd, env, stdio: ["ignore", "pipe", "ignore"] }));
    let kib = null;
    const look = () => {
      try {
        const [, text] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"));
        kib = Math.max(kib ?? 0, Number(text));
      } catch {
        // It has ended; what was read before counts.
      }
    };
    const timer = setInterval(look, 2);
    child.stdout.on("data", () => {});
    child.once("error", reject);
    child.once("close", (status) => {
      clearInterval(timer);
      if ((command.expect ?? [0]).includes(status)) resolve(kib);
      else reject(new BenchError(`${command.name} failed (exit code ${status}) while its memory was measured`, { code: "measured-failed" }));
    });
  });
}
