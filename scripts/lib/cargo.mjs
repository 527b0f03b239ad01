/** Runs cargo: checks that it is there and new enough, builds the workspace, and says which files came out. */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { inRoot, Problem, root } from "./project.mjs";

/** @typedef {"dev" | "release"} Profile */

/** Where napi's macros leave the types of the exports while the addon is compiled. */
export const typeFolder = inRoot("target", "napi-types");

/** The crate that becomes the addon. */
export const ADDON_CRATE = "okstra-node";

/**
 * The environment of every cargo call. The same for all of them: napi's build script runs again, and the addon is
 * compiled again, whenever one of these variables changes.
 */
export function cargoEnvironment() {
  mkdirSync(typeFolder, { recursive: true });
  return { ...toolchain(), ...process.env, NAPI_TYPE_DEF_TMP_FOLDER: typeFolder };
}

/**
 * Where rustup keeps its toolchains when `HOME` is not the user's home, as in a test with an empty one: rustup's own
 * `cargo` would find none there.
 *
 * @returns {Record<string, string>}
 */
function toolchain() {
  const home = userInfo().homedir;
  const found = (/** @type {string} */ folder) => existsSync(join(process.env.HOME ?? home, folder));
  /** @type {Record<string, string>} */
  const variables = {};
  if (!found(".rustup") && existsSync(join(home, ".rustup"))) variables.RUSTUP_HOME = join(home, ".rustup");
  if (!found(".cargo") && existsSync(join(home, ".cargo"))) variables.CARGO_HOME = join(home, ".cargo");
  return variables;
}

/**
 * Set while the tests run: the dev profile then builds the tests too, and the examples, which the tests and tests-e2e
 * start (`host`, `recorder`). Their dependencies switch on features of shared
 * crates, and without them in the same call nearly everything would be compiled twice.
 */
export const WITH_TESTS = "OKSTRA_BUILD_WITH_TESTS";

/** Throws a problem with what to do when there is no cargo that can build okstra. */
export function checkCargo() {
  const { error, status, stdout, stderr } = spawnSync("cargo", ["--version"], { cwd: root, encoding: "utf8", env: cargoEnvironment() });
  const needed = neededRust();
  const hint = `install Rust ${needed} or newer with rustup, or \`rustup update\`, and try again`;
  if (error !== undefined) throw new Problem(`cargo is needed to build okstra and cannot be started: ${error.message}`, hint);
  if (status !== 0) throw new Problem(`cargo --version failed: ${stderr.trim().split("\n", 1)[0]}`, hint);
  const found = /^cargo (\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  if (found === undefined) throw new Problem(`cargo --version says ${JSON.stringify(stdout.trim())}`, hint);
  if (isOlder(found, needed)) throw new Problem(`okstra needs Rust ${needed}, and cargo is ${found}`, hint);
}

/** The oldest Rust that can build okstra, as Cargo.toml says it. */
function neededRust() {
  const line = /^rust-version = "([\d.]+)"/m.exec(readFileSync(inRoot("Cargo.toml"), "utf8"));
  if (line === null) throw new Problem("Cargo.toml names no rust-version");
  return line[1];
}

/** @param {string} found @param {string} needed */
export function isOlder(found, needed) {
  const have = found.split(".").map(Number);
  for (const [place, want] of needed.split(".").map(Number).entries()) {
    if ((have[place] ?? 0) !== want) return (have[place] ?? 0) < want;
  }
  return false;
}

/**
 * Compiles addon and executable.
 *
 * @param {{ profile: Profile, environment?: Record<string, string>, quiet?: boolean }} options
 * @returns {Promise<{ addon: string, executable: string }>} the files
 */
export async function build({ profile, environment = {}, quiet = false }) {
  checkCargo();
  const args = ["build", "--workspace", "--message-format=json-render-diagnostics"];
  if (profile === "release") args.push("--release");
  else if (process.env[WITH_TESTS]) args.push("--all-targets");
  if (process.env.CI) args.push("--locked");
  if (quiet) args.push("--quiet");
  const cargo = spawn("cargo", args, {
    cwd: root,
    env: { ...cargoEnvironment(), ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve, reject) => cargo.once("error", reject).once("close", resolve));
  const files = { addon: "", executable: "" };
  for await (const line of createInterface({ input: cargo.stdout })) note(files, line);
  const code = await ended;
  if (code !== 0) throw new Problem(`\`cargo ${args.join(" ")}\` failed`, "its messages are above");
  if (files.addon === "" || files.executable === "") throw new Problem("cargo built no addon or no executable");
  return files;
}

/** @param {{ addon: string, executable: string }} files @param {string} line */
function note(files, line) {
  if (!line.startsWith("{")) return;
  const { reason, target, profile, filenames = [], executable } = JSON.parse(line);
  if (reason !== "compiler-artifact" || profile.test) return;
  if (target.kind.includes("cdylib") && target.name === ADDON_CRATE.replace("-", "_")) {
    files.addon = filenames.find((/** @type {string} */ name) => /\.(so|dylib|dll)$/.test(name)) ?? "";
  }
  if (target.kind.includes("bin") && target.name === "okstra" && executable) files.executable = executable;
}
