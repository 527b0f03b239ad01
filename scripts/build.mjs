/**
 * `npm run build [-- --release]`: compiles addon and executable, and puts both where `bin/okstra` finds
 * them first.
 */
import { chmodSync, copyFileSync, renameSync, rmSync, statSync } from "node:fs";
import { relative } from "node:path";
import { parseArgs } from "node:util";
import { addonName, executableName } from "../npm/platforms.js";
import { build } from "./lib/cargo.mjs";
import { inRoot, root, script, sizeWords, thisPlatform, writeJson } from "./lib/project.mjs";

/** Says what the last build left, for whoever needs the executable that belongs to the addon. */
const RECORD = inRoot("target", "okstra-build.json");

/**
 * @param {import("./lib/cargo.mjs").Profile} profile
 * @returns {Promise<{ addon: string, executable: string }>}
 */
export async function buildAndPlace(profile) {
  const files = await build({ profile });
  const place = inRoot("npm", addonName(thisPlatform()));
  put(files.addon, place);
  put(files.executable, inRoot("npm", executableName(thisPlatform())));
  for (const file of [place, files.executable]) {
    console.error(`built (${profile}): ${relative(root, file)}, ${sizeWords(statSync(file).size)}`);
  }
  const built = { addon: place, executable: files.executable };
  writeJson(RECORD, { profile, ...built });
  return built;
}

/**
 * A new file under a new inode: a process that runs with the old addon keeps it.
 *
 * @param {string} from
 * @param {string} to
 */
function put(from, to) {
  const fresh = `${to}.${process.pid}.tmp.node`;
  try {
    copyFileSync(from, fresh);
    chmodSync(fresh, 0o755);
    renameSync(fresh, to);
  } finally {
    rmSync(fresh, { force: true });
  }
}

if (process.argv[1] === import.meta.filename) {
  await script(async () => {
    const { values } = parseArgs({ options: { release: { type: "boolean", default: false } } });
    await buildAndPlace(values.release ? "release" : "dev");
  });
}
