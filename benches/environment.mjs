// What the measured programs are given: a clean environment, and git without anyone's configuration.

import { execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";

/** An error for people: one line, and what could help. */
export class BenchError extends Error {
  constructor(message, { code = "bench-failed", hint = null } = {}) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

const temporary = new Set();
const running = new Set();

function cleanUp() {
  for (const child of running) child.kill("SIGKILL");
  for (const folder of temporary) rmSync(folder, { recursive: true, force: true });
}

process.on("exit", cleanUp);
for (const [signal, number] of [["SIGINT", 2], ["SIGTERM", 15], ["SIGHUP", 1]]) {
  process.on(signal, () => process.exit(128 + number));
}

/** A folder that is gone when this process ends, however it ends. */
export function scratch(name, parent = tmpdir()) {
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, name));
  temporary.add(folder);
  return folder;
}

/** The folder has found its place, or is no longer needed: leave it alone from now on. */
export function keep(folder) {
  temporary.delete(folder);
}

export function discard(folder) {
  rmSync(folder, { recursive: true, force: true });
  temporary.delete(folder);
}

/** Ends `child` together with this process. */
export function watch(child) {
  running.add(child);
  child.once("close", () => running.delete(child));
  child.once("error", () => running.delete(child));
  return child;
}

let home = null;

/** The environment of everything that is measured. Nothing of the caller's git configuration comes through. */
export function cleanEnvironment(more = {}) {
  home ??= scratch("okstra-bench-home-");
  return {
    PATH: process.env.PATH ?? "",
    HOME: home,
    TMPDIR: tmpdir(),
    LC_ALL: "C",
    TZ: "UTC0",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_TERMINAL_PROMPT: "0",
    GIT_PAGER: "cat",
    GIT_AUTHOR_NAME: "Bench",
    GIT_AUTHOR_EMAIL: "bench@example.com",
    GIT_AUTHOR_DATE: "1700000000 +0000",
    GIT_COMMITTER_NAME: "Bench",
    GIT_COMMITTER_EMAIL: "bench@example.com",
    GIT_COMMITTER_DATE: "1700000000 +0000",
    ...more,
  };
}

const execute = promisify(execFile);

/** What a git command prints, without the last newline (whole, with `raw`: one character for each byte). `quiet` turns a failure into null. */
export async function git(folder, args, { quiet = false, raw = false } = {}) {
  try {
    const options = { env: cleanEnvironment(), maxBuffer: 1 << 30, encoding: raw ? "latin1" : "utf8" };
    const { stdout } = await execute("git", ["-C", folder, ...args], options);
    return raw ? stdout : stdout.replace(/\n$/, "");
  } catch (error) {
    if (error.code === "ENOENT" && error.syscall?.startsWith("spawn")) {
      throw new BenchError("git was not found", { code: "git-missing", hint: "install git and put it on the PATH" });
    }
    if (quiet) return null;
    throw new BenchError(`git ${args[0]} failed: ${firstLine(error.stderr) || error.message}`, { code: "git-failed" });
  }
}

/** Feeds pieces of bytes to a git command. */
export async function feedGit(folder, args, pieces) {
  const child = watch(spawn("git", ["-C", folder, ...args], { env: cleanEnvironment(), stdio: ["pipe", "ignore", "pipe"] }));
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (text) => (complaint += text));
  const ended = once(child, "close");
  const [fed, closed] = await Promise.allSettled([pipeline(pieces, child.stdin), ended]);
  if (closed.status === "rejected") throw new BenchError(`git ${args[0]} could not be started: ${closed.reason.message}`);
  if (closed.value[0] !== 0) throw new BenchError(`git ${args[0]} failed: ${firstLine(complaint)}`, { code: "git-failed" });
  if (fed.status === "rejected") throw fed.reason;
}

export function firstLine(text) {
  return (text ?? "").trim().split("\n", 1)[0];
}

/** Progress for people: one line on stderr that is written over; nothing in a pipe. */
export function progress(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text.slice(0, (process.stderr.columns ?? 80) - 1)}`);
}

export function endProgress() {
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
}
