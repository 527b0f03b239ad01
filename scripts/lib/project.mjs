/** What the scripts share about this checkout: its folders, its version, its platform, and how a script fails. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { hostPlatform } from "../../npm/platforms.js";

/** The folder of the checkout. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** @param {...string} parts a path inside the checkout */
export const inRoot = (...parts) => join(root, ...parts);

/** @param {string} file */
export const readJson = (file) => JSON.parse(readFileSync(file, "utf8"));

/** @param {string} file @param {unknown} value */
export function writeJson(file, value) {
  replaceFile(file, `${JSON.stringify(value, null, 2)}\n`);
}

/**
 * Writes beside the file and renames, so that a reader sees the old content or the new one.
 *
 * @param {string} file
 * @param {string | Buffer} content
 */
export function replaceFile(file, content) {
  mkdirSync(dirname(file), { recursive: true });
  const fresh = `${file}.${process.pid}.tmp`;
  writeFileSync(fresh, content);
  try {
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}

/** What a person should see as one line and a hint, without a stack. */
export class Problem extends Error {
  /** @param {string} message @param {string} [hint] */
  constructor(message, hint) {
    super(message);
    this.hint = hint;
  }
}

/**
 * Runs a script's main function and gives its problems the form that okstra's own errors have.
 *
 * @param {() => unknown} main
 */
export async function script(main) {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    console.error(`error: ${error.message}`);
    if (error.hint !== undefined) console.error(`\nhint: ${error.hint}`);
    process.exitCode = 1;
  }
}

/** The platform of this machine. */
export function thisPlatform() {
  const platform = hostPlatform();
  if (platform === null) throw new Problem(`okstra is not built for ${process.platform} on ${process.arch}`);
  return platform;
}

/**
 * Runs npm. On Windows it is a command file, which needs a shell; the arguments are the scripts' own words.
 *
 * @param {string[]} args
 * @param {import("node:child_process").SpawnSyncOptions} options
 */
export function npm(args, options) {
  return spawnSync("npm", args, { cwd: root, shell: process.platform === "win32", ...options });
}

/** @param {number} bytes */
export function sizeWords(bytes) {
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(2)} MB`;
}
