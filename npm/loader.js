/**
 * Finds and loads the compiled core: first an addon that was built in this folder (`npm run build`), then the platform
 * package that npm installed beside this one. A failure is put into words by `cause.js`, which is read only then.
 */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isWhole } from "./binary.js";
import { addonName, executableName, hostLibc, packageName, platformsFor } from "./platforms.js";

/**
 * @typedef {import("./platforms.js").Platform} Platform
 *
 * @typedef {object} Addon what the core exports to this folder (the public functions besides)
 * @property {(argc: number, args: string[]) => number} run a whole command; blocks; returns the exit code
 * @property {new () => { cancel(): void }} Cancel stops a running operation
 * @property {() => string} version
 * @property {(executable: string, node: string) => void} introduce says where the executable lies that was built with it
 *
 * @typedef {object} Find an addon that is there
 * @property {Platform} platform
 * @property {string} file
 * @property {boolean} built in this folder, and not from a package
 * @property {string | null} version of the package that it came in
 *
 * @typedef {{ kind: "unsupported" }
 *   | { kind: "missing", wanted: Platform[] }
 *   | { kind: "unloadable", find: Find, cause: unknown }
 *   | { kind: "mismatch", find: Find, version: string }} Failure
 */

const require = createRequire(import.meta.url);

/** The folder of the package `okstra`. */
export const folder = dirname(dirname(fileURLToPath(import.meta.url)));

/** The version of the package `okstra`. @type {string} */
export const version = versionIn(join(folder, "package.json"));

/** @type {(Addon & Record<string, Function>) | undefined} */
let loaded;

/**
 * The core, loaded once for each process.
 *
 * @returns {Promise<Addon & Record<string, Function>>}
 */
export async function loadAddon() {
  if (loaded !== undefined) return loaded;
  const answer = open();
  if ("failure" in answer) {
    const { explain } = await import("./cause.js");
    throw explain(answer.failure, { folder, version });
  }
  loaded = answer.addon;
  return loaded;
}

/** @returns {{ addon: Addon & Record<string, Function> } | { failure: Failure }} */
function open() {
  const wanted = platformsFor(process.platform, process.arch);
  if (wanted.length === 0) return { failure: { kind: "unsupported" } };
  const find = choose(wanted.map(findBuilt)) ?? choose(wanted.map(findPackage));
  if (find === undefined) return { failure: { kind: "missing", wanted } };
  if (find.version !== null && find.version !== version) {
    return { failure: { kind: "mismatch", find, version: find.version } };
  }
  try {
    if (!isWhole(find.file)) return { failure: { kind: "unloadable", find, cause: new Error("the file was cut off") } };
    const addon = require(find.file);
    const inside = addon.version();
    if (inside === version) addon.introduce(join(dirname(find.file), executableName(find.platform)), process.versions.node);
    return inside === version ? { addon } : { failure: { kind: "mismatch", find, version: inside } };
  } catch (cause) {
    return { failure: { kind: "unloadable", find, cause } };
  }
}

/**
 * The one that is there; where two C libraries are, the one of this process.
 *
 * @param {(Find | undefined)[]} finds
 */
function choose(finds) {
  const there = finds.filter((find) => find !== undefined);
  if (there.length < 2) return there[0];
  const { family } = hostLibc();
  return there.find((find) => find.platform.libc === family);
}

/** @param {Platform} platform @returns {Find | undefined} */
function findBuilt(platform) {
  const file = join(folder, "npm", addonName(platform));
  return existsSync(file) ? { platform, file, built: true, version: null } : undefined;
}

/** @param {Platform} platform @returns {Find | undefined} */
function findPackage(platform) {
  let manifest;
  try {
    manifest = require.resolve(`${packageName(platform)}/package.json`);
  } catch {
    return undefined;
  }
  let version = null;
  try {
    version = versionIn(manifest);
  } catch {
    // the package is damaged; the addon, if it loads, says its version itself
  }
  return { platform, file: join(dirname(manifest), addonName(platform)), built: false, version };
}

/** @param {string} manifest */
function versionIn(manifest) {
  return JSON.parse(readFileSync(manifest, "utf8")).version;
}
