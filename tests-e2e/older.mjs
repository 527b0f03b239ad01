/**
 * Makes another version of okstra out of packed files: `node older.mjs PACK_DIR OUT_DIR VERSION [FROM TO]...`. The version,
 * and each text FROM, is replaced wherever it stands in the packages, also inside of the compiled files, so every text has
 * to be as long as the one in its place. A text that a compiled file does not have is an error: then what comes out would
 * not be the version that was asked for.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readJson, writeJson } from "../scripts/lib/project.mjs";

const [from, out, version, ...texts] = process.argv.slice(2);
const { tarballs, ...pack } = readJson(join(from, "pack.json"));

const stages = tarballs.map((/** @type {string} */ tarball) => {
  const stage = join(out, `${tarball}.stage`);
  mkdirSync(stage, { recursive: true });
  execFileSync("tar", ["-xzf", join(from, tarball), "-C", stage]);
  return stage;
});
const current = readJson(join(stages[0], "package", "package.json")).version;
const pairs = [[current, version]];
for (let at = 0; at < texts.length; at += 2) pairs.push([texts[at], texts[at + 1]]);
const edits = pairs.map((pair) => pair.map((text) => Buffer.from(text)));
const uneven = edits.find(([old, other]) => old.length !== other?.length);
if (uneven !== undefined) throw new Error(`\`${uneven[0]}\` and \`${uneven[1]}\` are not of one length`);

/** @param {string} file */
function edit(file) {
  const bytes = readFileSync(file);
  let touched = false;
  for (const [old, other] of edits) {
    let at = bytes.indexOf(old);
    if (at < 0 && isCompiled(file)) throw new Error(`${file} does not have \`${old}\``);
    for (; at >= 0; at = bytes.indexOf(old, at + old.length)) {
      other.copy(bytes, at);
      touched = true;
    }
  }
  if (touched) writeFileSync(file, bytes);
  // A changed file is no longer signed, and macOS starts none that is not.
  if (touched && process.platform === "darwin" && isCompiled(file)) execFileSync("codesign", ["--force", "--sign", "-", file]);
}

/** @param {string} file */
const isCompiled = (file) => /[\\/]okstra(\.exe|\.[a-z0-9-]+\.node)?$/.test(file) && !/[\\/]bin[\\/]okstra$/.test(file);

const made = tarballs.map((/** @type {string} */ tarball, /** @type {number} */ index) => {
  const stage = stages[index];
  for (const name of readdirSync(stage, { recursive: true, encoding: "utf8" })) {
    if (statSync(join(stage, name)).isFile()) edit(join(stage, name));
  }
  const name = tarball.replace(current, version);
  const plain = join(out, name.replace(/\.tgz$/, ".tar"));
  execFileSync("tar", ["-cf", plain, "-C", stage, "package"]);
  // As fast as can be: it is read from this machine only.
  execFileSync("gzip", ["-1", "-S", ".gz", plain]);
  renameSync(`${plain}.gz`, join(out, name));
  rmSync(stage, { recursive: true });
  return name;
});
writeJson(join(out, "pack.json"), { ...pack, tarballs: made });
