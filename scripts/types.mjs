/**
 * `npm run types [-- --check]`: makes `npm/index.d.ts` and `npm/index.js` from the exports of the addon: one function
 * and one table of options for each operation. With `--check` nothing is written, and a stale file is an error.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { ADDON_CRATE, build, typeFolder } from "./lib/cargo.mjs";
import { inRoot, Problem, replaceFile, root, script } from "./lib/project.mjs";

/** The macros write the types while they compile; a fresh build may have nothing to compile. */
async function readTypes() {
  await build({ profile: "dev", quiet: true });
  if (!existsSync(join(typeFolder, ADDON_CRATE))) {
    await build({ profile: "dev", quiet: true, environment: { NAPI_FORCE_BUILD_OKSTRA_NODE: String(Date.now()) } });
  }
  const { generateTypeDef } = await tool(import("@napi-rs/cli"));
  const { dts } = await generateTypeDef({ typeDefDir: once(), cwd: root, noDtsHeader: true, constEnum: false });
  return dts;
}

/** @template T @param {Promise<T>} loading @returns {Promise<T>} */
function tool(loading) {
  return loading.catch((cause) => {
    throw new Problem(`a tool that makes the types is missing: ${cause.message}`, "run `npm ci` first");
  });
}

await script(async () => {
  const { declarationsOf, renderModule, renderTypes } = await tool(import("./lib/declarations.mjs"));
  const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });
  const declarations = declarationsOf(await readTypes());
  const files = [
    { file: inRoot("npm", "index.d.ts"), content: renderTypes(declarations) },
    { file: inRoot("npm", "index.js"), content: renderModule(declarations) },
  ];
  for (const { file, content } of files) {
    const name = relative(root, file);
    if (existsSync(file) && readFileSync(file, "utf8") === content) continue;
    if (values.check) throw new Problem(`${name} does not agree with the addon's exports`, "run `npm run types`");
    replaceFile(file, content);
    console.error(`wrote ${name}`);
  }
});

/**
 * A folder with the macros' notes, each line once: every pass over the crate adds its own, and clippy is one as well.
 *
 * @returns {string}
 */
function once() {
  const folder = `${typeFolder}-once`;
  mkdirSync(folder, { recursive: true });
  const lines = readFileSync(join(typeFolder, ADDON_CRATE), "utf8").split("\n");
  writeFileSync(join(folder, ADDON_CRATE), [...new Set(lines)].join("\n"));
  return folder;
}
