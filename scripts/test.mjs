/**
 * `npm test [-- --only rust|node|e2e|clients]`: from a fresh clone, installs the development dependencies, builds, and
 * runs every suite: `rust` (format, lints, tests), `node` (tests/node) and `e2e` (the packed packages, tests-e2e). In CI
 * `clients` too: the agents' own command lines (tests-clients), where they can be installed, which is a large download;
 * elsewhere `npm run test:clients` runs it. A failed step does not hide the next ones; each suite closes with a line of
 * counts.
 */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { cargoEnvironment, checkCargo, WITH_TESTS } from "./lib/cargo.mjs";
import { installDependencies } from "./lib/dependencies.mjs";
import { inRoot, Problem, root, script } from "./lib/project.mjs";

/** @typedef {{ name: string, command: string, args: string[], needed?: boolean }} Step `needed`: the rest of the suite is void without it */

/** CI must build what was locked; a developer may have just changed a dependency. */
const locked = process.env.CI ? ["--locked"] : [];

/** @type {Record<string, () => Step[]>} */
const suites = {
  rust: () => [
    { name: "cargo fmt", command: "cargo", args: ["fmt", "--all", "--check"] },
    cargo("cargo clippy", ["clippy", "--workspace", "--all-targets"], ["--", "-D", "warnings"]),
    cargo("cargo test", ["test", "--workspace"], []),
  ],
  node: () => [
    { ...node("build", ["scripts/build.mjs"]), needed: true },
    node("tests/node", ["--test", "--test-reporter=spec", "--test-concurrency=2", ...filesIn("tests/node", /\.test\.mjs$/)]),
  ],
  e2e: () => [
    { ...node("pack", ["scripts/pack.mjs", "--profile", "dev"]), needed: true },
    node("packed files", ["scripts/check-pack.mjs"]),
    ...filesIn("tests-e2e", /^scenario-\d+-.*\.sh$/).map((file) => ({ name: file, command: "bash", args: [file] })),
  ],
  clients: () => [node("tests-clients", ["scripts/test-clients.mjs", "--if-installable"])],
};

/** @param {string} name @param {string[]} args @param {string[]} rest @returns {Step} */
function cargo(name, args, rest) {
  return { name, command: "cargo", args: [...args, ...locked, ...rest] };
}

/** @param {string} name @param {string[]} args @returns {Step} */
function node(name, args) {
  return { name, command: process.execPath, args };
}

/** @param {string} folder @param {RegExp} pattern */
function filesIn(folder, pattern) {
  const names = readdirSync(inRoot(folder)).filter((name) => pattern.test(name));
  if (names.length === 0) throw new Problem(`${folder} holds no test`);
  return names.sort().map((name) => join(folder, name));
}

/** @param {Step} step @returns {boolean} whether it passed */
function runStep({ name, command, args }) {
  console.error(`\n== ${name}`);
  const start = performance.now();
  const { status, signal, error } = spawnSync(command, args, {
    cwd: root,
    env: { ...cargoEnvironment(), [WITH_TESTS]: "1" },
    stdio: ["ignore", "inherit", "inherit"],
  });
  const ending = error?.message ?? (signal === null ? `exit ${status}` : `ended by ${signal}`);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.error(`== ${name}: ${status === 0 ? "passed" : `FAILED (${ending})`}, ${seconds} s`);
  return status === 0;
}

/** @param {string} suite @returns {{ line: string, failed: string[] }} */
function runSuite(suite) {
  const failed = [];
  let passed = 0;
  let skipped = 0;
  const steps = suites[suite]();
  for (const [place, step] of steps.entries()) {
    if (runStep(step)) {
      passed += 1;
    } else {
      failed.push(`${suite}: ${step.name}`);
      if (!step.needed) continue;
      skipped = steps.length - place - 1;
      break;
    }
  }
  const line = `${suite}: ${passed} passed, ${failed.length} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
  return { line, failed };
}

/** @param {string[]} only */
function chosen(only) {
  const names = Object.keys(suites);
  const unknown = only.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Problem(`there is no suite ${unknown}`, `the suites are ${names.join(", ")}`);
  if (only.length > 0) return names.filter((name) => only.includes(name));
  return process.env.CI ? names : names.filter((name) => name !== "clients");
}

await script(() => {
  const { values } = parseArgs({ options: { only: { type: "string", multiple: true, default: [] } } });
  const { only } = values;
  const names = chosen(only);
  const start = performance.now();
  checkCargo();
  installDependencies();
  const results = names.map(runSuite);
  console.log("");
  for (const { line } of results) console.log(line);
  const failed = results.flatMap((result) => result.failed);
  if (!names.includes("clients") && only.length === 0) console.log("clients: not run (npm run test:clients downloads and tries the real ones)");
  for (const name of failed) console.log(`failed: ${name}`);
  console.log(`${only.length === 0 ? "all suites" : names.join(", ")} took ${((performance.now() - start) / 1000).toFixed(0)} s`);
  if (failed.length > 0) process.exitCode = 1;
});
