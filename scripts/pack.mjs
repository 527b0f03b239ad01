/**
 * `npm run pack [-- --profile dev|release] [--out DIR] [--from DIR]`: makes the tarballs that npm publishes, into
 * `target/pack/`: the main package and this platform's. With `--from`, the platform packages come from folders
 * `DIR/<platform>/` that hold an addon and an executable each, built elsewhere.
 */
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { addonName, executableName, platforms } from "../npm/platforms.js";
import { build } from "./lib/cargo.mjs";
import { mainManifest, platformDependencies, platformManifest } from "./lib/metadata.mjs";
import { inRoot, npm, Problem, root, script, sizeWords, thisPlatform, writeJson } from "./lib/project.mjs";

/** @typedef {import("../npm/platforms.js").Platform} Platform */

/** What stands in the main package besides its manifest; what does not exist yet is left out. */
const MAIN_FILES = ["bin/okstra", "README.md", "LICENSE", "CHANGELOG.md", "skills", "agents", "prompts"];

/** Only development needs these. */
const DEVELOPMENT_FIELDS = ["devDependencies", "scripts", "overrides"];

/** @param {string} stage an empty folder */
function stageMain(stage) {
  const manifest = mainManifest();
  for (const field of DEVELOPMENT_FIELDS) delete manifest[field];
  writeJson(join(stage, "package.json"), { ...manifest, optionalDependencies: platformDependencies() });
  for (const name of MAIN_FILES.filter((each) => existsSync(inRoot(each)))) {
    mkdirSync(dirname(join(stage, name)), { recursive: true });
    cpSync(inRoot(name), join(stage, name), { recursive: true });
  }
  mkdirSync(join(stage, "npm"));
  for (const name of readdirSync(inRoot("npm")).filter((each) => /\.(js|d\.ts)$/.test(each))) {
    copyFileSync(inRoot("npm", name), join(stage, "npm", name));
  }
}

/** @param {string} stage @param {Platform} platform @param {{ addon: string, executable: string }} built */
function stagePlatform(stage, platform, { addon, executable }) {
  writeJson(join(stage, "package.json"), platformManifest(platform));
  copyFileSync(inRoot("LICENSE"), join(stage, "LICENSE"));
  for (const [from, name] of [[addon, addonName(platform)], [executable, executableName(platform)]]) {
    copyFileSync(from, join(stage, name));
    chmodSync(join(stage, name), 0o755);
  }
}

/** @param {string} stage @param {string} out @returns {{ filename: string, size: number, unpackedSize: number }} */
function packStage(stage, out) {
  const { status, stdout, stderr, error } = npm(["pack", "--json", "--ignore-scripts", "--pack-destination", out], {
    cwd: stage,
    encoding: "utf8",
    maxBuffer: 1e8,
  });
  if (status !== 0) throw new Problem(`npm pack failed in ${stage}: ${error?.message ?? stderr}`);
  return Object.values(JSON.parse(String(stdout)))[0];
}

/** @param {string} from @returns {[Platform, { addon: string, executable: string }][]} */
function builtElsewhere(from) {
  const there = platforms.filter((platform) => existsSync(join(from, platform.name)));
  if (there.length === 0) throw new Problem(`${from} holds no folder named after a platform`);
  return there.map((platform) => {
    const file = (/** @type {string} */ name) => join(from, platform.name, name);
    return [platform, { addon: file(addonName(platform)), executable: file(executableName(platform)) }];
  });
}

await script(async () => {
  const { values } = parseArgs({
    options: {
      profile: { type: "string", default: "release" },
      out: { type: "string", default: inRoot("target", "pack") },
      from: { type: "string" },
    },
  });
  const { profile } = values;
  if (profile !== "dev" && profile !== "release") throw new Problem(`--profile is dev or release, not ${profile}`);
  const out = resolve(values.out);
  const built = values.from === undefined ? [[thisPlatform(), await build({ profile })]] : builtElsewhere(resolve(values.from));
  rmSync(out, { recursive: true, force: true });
  const stages = join(out, "stage");
  mkdirSync(join(stages, "okstra"), { recursive: true });
  stageMain(join(stages, "okstra"));
  for (const [platform, files] of /** @type {ReturnType<typeof builtElsewhere>} */ (built)) {
    mkdirSync(join(stages, platform.name));
    stagePlatform(join(stages, platform.name), platform, files);
  }
  const tarballs = readdirSync(stages).map((name) => packStage(join(stages, name), out));
  rmSync(stages, { recursive: true });
  writeJson(join(out, "pack.json"), { profile, tarballs: tarballs.map(({ filename }) => filename) });
  for (const { filename, size, unpackedSize } of tarballs) {
    console.error(`packed (${profile}): ${relative(root, join(out, filename))}, ${sizeWords(size)}, unpacked ${sizeWords(unpackedSize)}`);
  }
});
