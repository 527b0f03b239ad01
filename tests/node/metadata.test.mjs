/** The manifests agree with one another: one version, one table of platforms, nothing that installs or names a host. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { platforms } from "../../npm/platforms.js";
import { isOlder } from "../../scripts/lib/cargo.mjs";
import { agree } from "../../scripts/lib/dependencies.mjs";
import { cargoVersion, expectedManifest, mainManifest, platformManifest } from "../../scripts/lib/metadata.mjs";
import { inRoot, readJson } from "../../scripts/lib/project.mjs";

const manifest = mainManifest();
const lock = readJson(inRoot("package-lock.json"));

test("one version everywhere", () => {
  assert.match(manifest.version, /^\d+\.\d+\.\d+$/);
  assert.equal(cargoVersion(), manifest.version);
  assert.equal(lock.version, manifest.version);
  assert.equal(lock.packages[""].version, manifest.version);
});

for (const platform of platforms) {
  test(`the manifest of ${platform.name} says what the table says`, () => {
    assert.deepEqual(platformManifest(platform), expectedManifest(platform));
  });
}

test("every platform folder is in the table", () => {
  const folders = readdirSync(inRoot("npm"), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  assert.deepEqual(folders.map(({ name }) => name).sort(), platforms.map(({ name }) => name).sort());
});

test("the main manifest has no run-time dependency and no install script", () => {
  for (const field of ["dependencies", "optionalDependencies", "peerDependencies", "bundledDependencies"]) {
    assert.equal(manifest[field], undefined, field);
  }
  for (const name of ["preinstall", "install", "postinstall", "prepare", "prepublish"]) assert.equal(manifest.scripts[name], undefined);
  assert.equal(manifest.type, "module");
  assert.equal(manifest.engines.node, ">=20.17");
});

test("development dependencies are exact, and locked without a host", () => {
  for (const [name, version] of Object.entries(manifest.devDependencies)) assert.match(/** @type {string} */ (version), /^\d+\.\d+\.\d+$/, name);
  assert.deepEqual(lock.packages[""].devDependencies, manifest.devDependencies);
  for (const [name, entry] of Object.entries(lock.packages)) {
    assert.equal(/** @type {any} */ (entry).resolved, undefined, name);
    if (name !== "") assert.match(/** @type {any} */ (entry).integrity, /^sha512-/, name);
  }
});

test("what the manifest names exists", () => {
  for (const file of [manifest.bin.okstra, manifest.exports["."].types, manifest.exports["."].default]) readFileSync(inRoot(file));
  for (const line of Object.values(manifest.scripts)) readFileSync(inRoot(String(line).replace(/^node /, "")));
  assert.match(readFileSync(inRoot("bin", "okstra"), "utf8"), /^#!\/usr\/bin\/env node\n/);
});

test("when node_modules is what the lock file says", () => {
  const locked = { "": { version: "1" }, a: { version: "1" }, b: { version: "2", optional: true } };
  const table = [
    [{ a: { version: "1" }, b: { version: "2" } }, true],
    [{ a: { version: "1" } }, true],
    [{ b: { version: "2" } }, false],
    [{ a: { version: "2" } }, false],
    [{ a: { version: "1" }, b: { version: "3" } }, false],
    [{ a: { version: "1" }, c: { version: "1" } }, false],
    [{}, false],
  ];
  for (const [installed, expected] of table) assert.equal(agree(locked, /** @type {any} */ (installed)), expected, JSON.stringify(installed));
});

test("which cargo is too old", () => {
  assert.deepEqual(
    ["1.90.0", "1.89.9", "1.100.0", "2.0.0", "0.99.0"].map((found) => isOlder(found, "1.90")),
    [false, true, false, false, true],
  );
});
