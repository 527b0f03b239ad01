/** The checked-in types and module are what the addon's exports give, and a strict TypeScript project can use them. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import ts from "typescript";
import { cargoEnvironment } from "../../scripts/lib/cargo.mjs";
import { declarationsOf, renderModule, renderTypes } from "../../scripts/lib/declarations.mjs";
import { inRoot, root } from "../../scripts/lib/project.mjs";
import { run } from "./common.mjs";

test("npm/index.d.ts and npm/index.js are not stale", async () => {
  const { code, stderr } = await run(process.execPath, ["scripts/types.mjs", "--check"], { cwd: root, env: cargoEnvironment() });
  assert.equal(code, 0, stderr);
});

test("a strict consumer with isolated modules compiles", () => {
  const { texts, read } = compile([inRoot("tests", "node", "consumer.mts")], {
    exactOptionalPropertyTypes: true,
    isolatedModules: true,
    skipLibCheck: false,
    target: ts.ScriptTarget.ES2022,
    lib: ["lib.es2022.d.ts", "lib.dom.d.ts"],
    types: [],
  });
  assert.deepEqual(texts, []);
  assert.ok(read.some((file) => file.endsWith("/npm/index.d.ts")), "the types were not read through the package's exports");
});

/**
 * What the compiler has to say, and which files it read.
 *
 * @param {string[]} files
 * @param {ts.CompilerOptions} options
 */
function compile(files, options) {
  const program = ts.createProgram(files, {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    ...options,
  });
  const texts = ts.getPreEmitDiagnostics(program).map((problem) => {
    const place = problem.file === undefined ? "" : `${problem.file.fileName}:${ts.getLineAndCharacterOfPosition(problem.file, problem.start ?? 0).line + 1} `;
    return place + ts.flattenDiagnosticMessageText(problem.messageText, "\n");
  });
  return { texts, read: program.getSourceFiles().map((file) => file.fileName) };
}

test("the types in the comments of the JavaScript hold", () => {
  const folders = ["npm", "scripts", "scripts/lib", "tests/node", "tests-e2e", "tests-clients"];
  const files = folders.flatMap((folder) => readdirSync(inRoot(folder)).filter((name) => /\.m?js$/.test(name)).map((name) => inRoot(folder, name)));
  const problems = compile(files, { allowJs: true, checkJs: true, target: ts.ScriptTarget.ES2023, lib: ["lib.es2023.d.ts"], types: ["node"] });
  assert.deepEqual(problems.texts, []);
});

test("every exported type is documented, and no enum is const", () => {
  const text = readFileSync(inRoot("npm", "index.d.ts"), "utf8");
  assert.doesNotMatch(text, /const enum/);
  const file = ts.createSourceFile("index.d.ts", text, ts.ScriptTarget.Latest, true);
  /** @type {(string | undefined)[]} */
  const bare = [];
  const visit = (/** @type {ts.Node} */ node) => {
    const documented = ts.isFunctionDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isPropertySignature(node);
    if (documented && ts.getJSDocCommentsAndTags(node).length === 0) bare.push(node.name?.getText());
    ts.forEachChild(node, visit);
  };
  visit(file);
  assert.deepEqual(bare, []);
});

const EXPORTS = `
export declare class Cancel { constructor(); cancel(): void }
/** Does it. */
export declare function doIt(options: DoItOptions, cancel: Cancel): Promise<Done>
/** The options. */
export interface DoItOptions {
  /** Where. */
  where: string
  times?: number
  names?: Array<string>
  how?: How
}
/** How. */
export type How = 'well' | 'badly'
/** What came out. */
export interface Done { how: How }
/** Nobody needs it. */
export interface Other { x: string }
export declare function run(argc: number, args: Array<string>): number
`;

test("what is made of an export", () => {
  const declarations = declarationsOf(EXPORTS);
  const types = renderTypes(declarations);
  assert.match(types, /\/\*\* Does it\. \*\/\nexport declare function doIt\(options: DoItOptions\): Promise<Done>;/);
  assert.match(types, /how\?: How\n {2}\/\*\* .* \*\/\n {2}signal\?: AbortSignal\n\}/);
  assert.match(types, /\/\*\* How\. \*\/\nexport type How = 'well' \| 'badly'/);
  assert.doesNotMatch(types, /Cancel|Other|run\(/);
  assert.equal(types.match(/signal\?/g)?.length, 1);
  assert.match(renderModule(declarations), /operation\("doIt", \{\n {2}where: "string",\n {2}times: "number\?",\n {2}names: "string\[\]\?",\n {2}how: "any\?",\n\}\);\n$/);
});

test("options that can all be left out can be left out themselves", () => {
  const text = "export interface O { x?: string }\nexport declare function a(options: O, cancel: Cancel): Promise<void>";
  assert.match(renderTypes(declarationsOf(text)), /function a\(options\?: O\): Promise<void>;/);
});

test("an export that the wrapper cannot carry is refused", () => {
  assert.throws(() => declarationsOf("export declare function a(x: string, cancel: Cancel): Promise<void>"), /must take/);
  assert.throws(
    () => declarationsOf("export interface O {}\nexport declare function a(x: O, cancel: Cancel): string"),
    /must return a Promise/,
  );
  assert.throws(() => declarationsOf("export declare function run(): number"), /no operation/);
});
