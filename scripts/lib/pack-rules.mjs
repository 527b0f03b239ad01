/** The rules that a packed file must keep; each function returns what it found and what is wrong. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { addonName, executableName } from "../../npm/platforms.js";
import { parseBinary, systemOf } from "../../npm/binary.js";
import { compareVersions, readElf } from "./elf.mjs";
import { expectedManifest, mainManifest, platformDependencies } from "./metadata.mjs";
import { inRoot } from "./project.mjs";

/**
 * @typedef {import("./tarball.mjs").Entry} Entry
 * @typedef {import("../../npm/platforms.js").Platform} Platform
 * @typedef {{ filename: string, file: string, entries: Entry[], manifest: Record<string, any> }} Pack
 * @typedef {{ release: boolean, floor?: string }} Limits
 * @typedef {{ problems: string[], facts: { name: string, size: number, note?: string }[] }} Findings
 */

/** The most that each may have, in bytes. */
export const LIMITS = { mainTarball: 300_000, compiledFile: 4_000_000 };

const MAIN_NAMES = /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|bin\/okstra|npm\/[\w-]+\.(js|d\.ts)|(skills|agents|prompts)\/.+)$/;
const MAIN_NEEDED = ["package.json", "LICENSE", "bin/okstra", "npm/loader.js", "npm/index.js", "npm/index.d.ts"];
const LIFECYCLE = ["preinstall", "install", "postinstall", "prepare"];

/** @param {Pack} pack @param {Limits} limits @returns {Findings} */
export function checkMain({ filename, file, entries, manifest }, limits) {
  const names = entries.map((entry) => entry.name);
  const { version } = mainManifest();
  const size = statSync(file).size;
  const problems = [
    ...nameProblems(filename, `okstra-${version}.tgz`),
    ...names.filter((name) => !MAIN_NAMES.test(name) || /\.(node|so|dll|dylib|exe)$/.test(name)).map((name) => `${name} must not be in it`),
    ...[...MAIN_NEEDED, ...prompts(), ...skills()].filter((name) => !names.includes(name)).map((name) => `${name} is missing`),
    ...modeProblems(entries, "bin/okstra"),
    ...LIFECYCLE.filter((name) => manifest.scripts?.[name] !== undefined).map((name) => `it has a ${name} script`),
    ...differences({ name: "okstra", version, optionalDependencies: platformDependencies() }, manifest),
  ];
  if (Object.keys(manifest.dependencies ?? {}).length > 0) problems.push("it has dependencies");
  if (limits.release && size >= LIMITS.mainTarball) problems.push(`it has ${size} bytes, the limit is ${LIMITS.mainTarball}`);
  return { problems, facts: [{ name: `${names.length} files`, size }] };
}

/** The prompts of the repository: what agents are given is shipped to be read. */
export const prompts = () => filesIn("prompts");

/** The skills and agents of the repository. */
export const skills = () => [...filesIn("skills"), ...filesIn("agents")];

/** @param {string} folder */
function filesIn(folder) {
  if (!existsSync(inRoot(folder))) return [];
  const entries = readdirSync(inRoot(folder), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.map((entry) => relative(inRoot(), join(entry.parentPath, entry.name)).replaceAll("\\", "/")).sort();
}

/** @param {Pack} pack @param {Platform} platform @param {Limits} limits @returns {Findings} */
export function checkPlatform({ filename, entries, manifest }, platform, limits) {
  const expected = expectedManifest(platform);
  const compiled = [addonName(platform), executableName(platform)];
  const wanted = ["package.json", "LICENSE", ...compiled];
  const names = entries.map((entry) => entry.name);
  /** @type {Findings} */
  const findings = {
    problems: [
      ...nameProblems(filename, `${expected.name}-${expected.version}.tgz`),
      ...names.filter((name) => !wanted.includes(name)).map((name) => `${name} must not be in it`),
      ...wanted.filter((name) => !names.includes(name)).map((name) => `${name} is missing`),
      ...modeProblems(entries, executableName(platform)),
      ...differences(expected, manifest),
    ],
    facts: [],
  };
  for (const entry of entries.filter(({ name }) => compiled.includes(name))) checkCompiled(entry, platform, limits, findings);
  return findings;
}

/** @param {Entry} entry @param {Platform} platform @param {Limits} limits @param {Findings} findings */
function checkCompiled({ name, content }, platform, limits, { problems, facts }) {
  const binary = parseBinary(content);
  if (binary === null || systemOf(binary) !== platform.os || binary.cpu !== platform.cpu) {
    const found = binary === null ? "no compiled file" : `for ${systemOf(binary)} on ${binary.cpu}`;
    problems.push(`${name} is ${found}, not for ${platform.os} on ${platform.cpu}`);
  } else if (platform.libc !== null) {
    const { libc, glibc } = libcOf(content);
    if (libc !== null && libc !== platform.libc) problems.push(`${name} is linked with ${libc}, not with ${platform.libc}`);
    if (glibc !== null && limits.floor !== undefined && compareVersions(glibc, limits.floor) > 0) {
      problems.push(`${name} needs glibc ${glibc}, newer than ${limits.floor}`);
    }
    facts.push({ name, size: content.length, note: glibc === null ? `${libc ?? "no C library"}` : `needs glibc ${glibc}` });
  } else {
    facts.push({ name, size: content.length });
  }
  if (limits.release && content.length >= LIMITS.compiledFile) {
    problems.push(`${name} has ${content.length} bytes, the limit is ${LIMITS.compiledFile}`);
  }
}

/** @param {Buffer} content @returns {{ libc: "glibc" | "musl" | null, glibc: string | null }} no libc: linked statically */
function libcOf(content) {
  const { needed, interpreter, glibc } = readElf(content);
  if (glibc !== null || needed.includes("libc.so.6")) return { libc: "glibc", glibc };
  const musl = interpreter?.includes("ld-musl") || needed.some((name) => /^libc\.(musl-.+\.)?so/.test(name));
  return { libc: musl ? "musl" : null, glibc };
}

/** @param {string} found @param {string} expected */
function nameProblems(found, expected) {
  return found === expected ? [] : [`its name should be ${expected}`];
}

/** @param {Entry[]} entries @param {string} name */
function modeProblems(entries, name) {
  const entry = entries.find((each) => each.name === name);
  return entry === undefined || (entry.mode & 0o777) === 0o755 ? [] : [`${name} has mode ${(entry.mode & 0o777).toString(8)}, not 755`];
}

/** @param {Record<string, unknown>} expected @param {Record<string, unknown>} found */
function differences(expected, found) {
  return Object.keys(expected)
    .filter((field) => JSON.stringify(expected[field]) !== JSON.stringify(found[field]))
    .map((field) => `its ${field} is ${JSON.stringify(found[field])}, not ${JSON.stringify(expected[field])}`);
}
