/** What the package manifests must say: one table of platforms and one version, wherever they are repeated. */
import { readFileSync } from "node:fs";
import { addonName, executableName, packageName, platforms } from "../../npm/platforms.js";
import { inRoot, readJson } from "./project.mjs";

/** @typedef {import("../../npm/platforms.js").Platform} Platform */

/** The manifest of the package `okstra` in this checkout. */
export const mainManifest = () => readJson(inRoot("package.json"));

/** The version in the root Cargo.toml, which all crates share. */
export function cargoVersion() {
  const section = /^\[workspace\.package\]\n((?:(?!\[).*\n)*)/m.exec(readFileSync(inRoot("Cargo.toml"), "utf8"))?.[1] ?? "";
  return /^version = "(.+)"$/m.exec(section)?.[1] ?? null;
}

/** @param {Platform} platform the checked-in manifest of its package */
export const platformManifest = (platform) => readJson(inRoot("npm", platform.name, "package.json"));

/** @param {Platform} platform what its manifest must be */
export function expectedManifest(platform) {
  const { version, license, engines } = mainManifest();
  const system = { linux: "Linux", darwin: "macOS", win32: "Windows" }[/** @type {string} */ (platform.os)];
  return {
    name: packageName(platform),
    version,
    description: `The compiled core of okstra for ${system} on ${platform.cpu}${platform.libc === null ? "" : ` with ${platform.libc}`}`,
    license,
    os: [platform.os],
    cpu: [platform.cpu],
    ...(platform.libc === null ? {} : { libc: [platform.libc] }),
    engines,
    main: addonName(platform),
    files: [addonName(platform), executableName(platform)],
    preferUnplugged: true,
  };
}

/** The dependencies that only the published main package has: each platform's package, at exactly its own version. */
export function platformDependencies() {
  const { version } = mainManifest();
  return Object.fromEntries(platforms.map((platform) => [packageName(platform), version]));
}
