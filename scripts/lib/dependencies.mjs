/** Whether node_modules is what package-lock.json says, and `npm ci` when it is not. */
import { existsSync } from "node:fs";
import { inRoot, npm, Problem, readJson } from "./project.mjs";

/** @typedef {Record<string, { version?: string, optional?: boolean, devOptional?: boolean }>} Packages */

/** @param {Packages} locked @param {Packages} installed the same table as npm keeps it inside node_modules */
export function agree(locked, installed) {
  const missing = Object.entries(locked).some(
    ([name, { version, optional, devOptional }]) =>
      name !== "" && installed[name]?.version !== version && !((optional || devOptional) && installed[name] === undefined),
  );
  return !missing && Object.keys(installed).every((name) => installed[name].version === locked[name]?.version);
}

/** Whether everything that the lock file names for this machine is installed, and nothing else. */
export function areInstalled() {
  const hidden = inRoot("node_modules", ".package-lock.json");
  if (!existsSync(hidden)) return false;
  return agree(readJson(inRoot("package-lock.json")).packages, readJson(hidden).packages);
}

/** Installs what the lock file says, if that is not there. */
export function installDependencies() {
  if (areInstalled()) return;
  console.error("installing the development dependencies (npm ci)");
  const { status, error } = npm(["ci", "--no-audit", "--no-fund"], { stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0) throw new Problem(`npm ci failed${error === undefined ? "" : `: ${error.message}`}`);
}
