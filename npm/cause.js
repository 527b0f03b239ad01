/**
 * Puts into words why the compiled core could not be loaded: what is wrong, on which machine, and what to do. Read only
 * when it is needed.
 */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { readBinary, systemOf } from "./binary.js";
import { hostLibc, hostPlatform, packageName, platforms } from "./platforms.js";

/**
 * @typedef {import("./loader.js").Failure} Failure
 * @typedef {import("./loader.js").Find} Find
 * @typedef {{ folder: string, version: string }} Okstra
 * @typedef {{ code: string, what: string, hint: string, cause?: unknown }} Words
 */

const require = createRequire(import.meta.url);

/** Why there is no core. `code` is the word for programs, `hint` what to do. */
export class LoadError extends Error {
  /**
   * @param {Words} words
   * @param {string} machine
   */
  constructor({ code, what, hint, cause }, machine) {
    const first = firstLine(cause);
    super(`${what}${first === null ? "" : `: ${first}`} (${machine})`, cause === undefined ? undefined : { cause });
    this.name = "LoadError";
    this.code = code;
    this.hint = hint;
    /** The parts of the message, for a door that has more than one line. */
    this.parts = { what, first, machine };
  }
}

/**
 * @param {Failure} failure
 * @param {Okstra} okstra
 * @returns {LoadError}
 */
export function explain(failure, okstra) {
  return new LoadError(words(failure, okstra), describeMachine(okstra));
}

/** @param {Failure} failure @param {Okstra} okstra @returns {Words} */
function words(failure, okstra) {
  switch (failure.kind) {
    case "unsupported":
      return unsupported();
    case "missing":
      return missing(okstra);
    case "mismatch":
      return mismatch(failure.find, failure.version, okstra);
    case "unloadable":
      return unloadable(failure.find, failure.cause, okstra);
  }
}

/** @returns {Words} */
function unsupported() {
  return {
    code: "platform-unsupported",
    what: `okstra is not built for ${process.platform} on ${process.arch}`,
    hint: `use one of these: ${platforms.map((platform) => platform.name).join(", ")}`,
  };
}

/** @param {Okstra} okstra @returns {Words} */
function missing(okstra) {
  const platform = hostPlatform();
  if (platform === null) return unsupported();
  const code = "platform-package-missing";
  const name = packageName(platform);
  if (isCheckout(okstra)) {
    return { code, what: `the core is not built, and the package ${name} is not installed`, hint: "run `npm run build` first" };
  }
  const others = platforms.filter((other) => other !== platform && isInstalled(packageName(other))).map(packageName);
  if (others.length > 0) {
    return {
      code,
      what: `the package ${name} is missing; ${others.join(" and ")} is there instead`,
      hint:
        "node_modules or the lock file was made on another system: remove node_modules (and package-lock.json, if it " +
        "names no other platform) and run `npm install` here",
    };
  }
  return {
    code,
    what: `the package ${name} is missing`,
    hint:
      "it is an optional dependency: run `npm install --include=optional`, without `--omit=optional` or `--no-optional`; " +
      "if the lock file was made on another system, remove it and node_modules first",
  };
}

/** @param {Find} find @param {string} version @param {Okstra} okstra @returns {Words} */
function mismatch(find, version, okstra) {
  const from = find.built ? `the addon ${find.file}` : `the package ${packageName(find.platform)}`;
  return {
    code: "version-mismatch",
    what: `okstra is version ${okstra.version}, but ${from} is version ${version}`,
    hint: remedy(find, okstra),
  };
}

/** @param {Find} find @param {unknown} cause @param {Okstra} okstra @returns {Words} */
function unloadable(find, cause, okstra) {
  const code = "addon-not-loadable";
  if (!existsSync(find.file)) {
    return { code, what: `the file ${find.file} is missing from its package`, hint: remedy(find, okstra) };
  }
  const known = foreign(find) ?? recognised(find, firstLine(cause) ?? "");
  return {
    code,
    what: known?.what ?? `the addon ${find.file} cannot be loaded`,
    hint: known?.hint ?? remedy(find, okstra),
    cause,
  };
}

/** An addon that was made for another machine, told by its own header. @param {Find} find */
function foreign(find) {
  const binary = readable(find.file);
  if (binary === undefined) return { what: `the addon ${find.file} cannot be read`, hint: "check its permissions" };
  if (binary === null) return { what: `the addon ${find.file} is damaged` };
  if (systemOf(binary) === process.platform && binary.cpu === process.arch) return undefined;
  return {
    what: `the addon ${find.file} was made for ${systemOf(binary)} on ${binary.cpu}, not for this ${process.platform} on ${process.arch}`,
    hint: "remove node_modules and run `npm install` on this machine, with the Node that runs okstra",
  };
}

/** What a loader of programs is known to say. @param {Find} find @param {string} line */
function recognised(find, line) {
  const needed = /version [`'](GLIBC_[\d.]+)' not found/.exec(line)?.[1];
  if (needed !== undefined) {
    return {
      what: `this system's C library is too old for okstra: it needs ${needed.replace("_", " ").toLowerCase()} or newer, here is ${libcWords()}`,
      hint: "use a newer system or container image (glibc 2.28 is enough for a released okstra), or build it here with `npm run build`",
    };
  }
  const { family } = hostLibc();
  if (find.platform.libc !== null && family !== null && find.platform.libc !== family) {
    return {
      what: `the package ${packageName(find.platform)} is for ${find.platform.libc}, but this Node runs on ${family}`,
      hint: "remove node_modules and package-lock.json and run `npm install` here, with npm 10.4 or newer",
    };
  }
  if (/failed to map segment|Operation not permitted/.test(line)) {
    return {
      what: `the system does not allow programs to be loaded from the folder of ${find.file}`,
      hint: "install okstra on a file system that is not mounted noexec",
    };
  }
  return undefined;
}

/** @param {string} file @returns {import("./binary.js").Binary | null | undefined} undefined when it cannot be read */
function readable(file) {
  try {
    return readBinary(file);
  } catch {
    return undefined;
  }
}

/** @param {Find} find @param {Okstra} okstra */
function remedy(find, okstra) {
  if (find.built) return "build it again: `npm run build`";
  return `install both again: \`npm install okstra@${okstra.version}\` (for npx: \`npx -y okstra@latest …\`)`;
}

/** Everything that a bug report needs. @param {Okstra} okstra */
export function describeMachine({ folder, version }) {
  return `okstra ${version} in ${folder}, Node ${process.version}, ${process.platform} ${process.arch}, ${libcWords()}`;
}

function libcWords() {
  const { family, version } = hostLibc();
  if (family === null) return "no separate C library";
  return version === null ? family : `${family} ${version}`;
}

/** @param {Okstra} okstra */
function isCheckout({ folder }) {
  return existsSync(join(folder, "Cargo.toml"));
}

/** @param {string} name */
function isInstalled(name) {
  try {
    require.resolve(`${name}/package.json`);
    return true;
  } catch {
    return false;
  }
}

/** @param {unknown} cause @returns {string | null} */
function firstLine(cause) {
  if (cause === undefined) return null;
  const text = cause instanceof Error ? cause.message : String(cause);
  return text.split("\n", 1)[0].trim() || null;
}
