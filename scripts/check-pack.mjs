/**
 * `node scripts/check-pack.mjs [--dir DIR] [--glibc-floor 2.28]`: checks the tarballs that `npm run pack` made: names,
 * manifests, sizes, and for which system, CPU and C library the compiled files were really made. Sizes count for a
 * release; the newest glibc symbol is reported, and with `--glibc-floor` must not be newer than that.
 */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { packageName, platforms } from "../npm/platforms.js";
import { checkMain, checkPlatform } from "./lib/pack-rules.mjs";
import { inRoot, Problem, readJson, script, sizeWords } from "./lib/project.mjs";
import { readTarball } from "./lib/tarball.mjs";

/** @param {string} dir @param {string} filename */
function readPackage(dir, filename) {
  const entries = readTarball(join(dir, filename));
  const manifest = entries.find((entry) => entry.name === "package.json");
  if (manifest === undefined) throw new Problem(`${filename} has no package.json`);
  return { filename, file: join(dir, filename), entries, manifest: JSON.parse(manifest.content.toString("utf8")) };
}

await script(() => {
  const { values } = parseArgs({
    options: { dir: { type: "string", default: inRoot("target", "pack") }, "glibc-floor": { type: "string" } },
  });
  const dir = resolve(values.dir);
  if (!existsSync(join(dir, "pack.json"))) throw new Problem(`${dir} holds no packed files`, "run `npm run pack` first");
  const { profile, tarballs } = readJson(join(dir, "pack.json"));
  const limits = { release: profile === "release", floor: values["glibc-floor"] };
  const problems = [];
  for (const filename of tarballs) {
    const pack = readPackage(dir, filename);
    const platform = platforms.find((each) => packageName(each) === pack.manifest.name);
    const found = platform === undefined ? checkMain(pack, limits) : checkPlatform(pack, platform, limits);
    problems.push(...found.problems.map((problem) => `${filename}: ${problem}`));
    for (const { name, size, note } of found.facts) {
      console.log(`${filename}: ${name}, ${sizeWords(size)}${note === undefined ? "" : `, ${note}`}`);
    }
  }
  for (const problem of problems) console.log(`problem: ${problem}`);
  if (problems.length > 0) throw new Problem(`${problems.length} of the checks of the packed files failed`);
  console.log(`${tarballs.length} packed files are as they should be${limits.release ? "" : " (sizes of the dev profile do not count)"}`);
});
