/** The checks of the packed files find what they are for. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { addonName, executableName, hostPlatform, platforms } from "../../npm/platforms.js";
import { parseBinary } from "../../npm/binary.js";
import { compareVersions, readElf } from "../../scripts/lib/elf.mjs";
import { expectedManifest, mainManifest, platformDependencies } from "../../scripts/lib/metadata.mjs";
import { checkMain, checkPlatform, LIMITS, prompts, skills } from "../../scripts/lib/pack-rules.mjs";
import { built, scratch } from "./common.mjs";

/** @typedef {import("../../npm/platforms.js").Platform} Platform */

const host = /** @type {Platform} */ (hostPlatform());
const { version } = mainManifest();
const addon = readFileSync(built.addon);
const executable = readFileSync(built.executable);

/** @param {string} name @param {Buffer} [content] @param {number} [mode] */
const entry = (name, content = Buffer.from(""), mode = 0o644) => ({ name, content, mode });

/** @param {import("node:test").TestContext} t */
function goodMain(t) {
  const file = join(scratch(t), `okstra-${version}.tgz`);
  writeFileSync(file, "packed");
  const names = ["package.json", "LICENSE", "README.md", "npm/loader.js", "npm/index.js", "npm/index.d.ts"];
  return {
    filename: `okstra-${version}.tgz`,
    file,
    entries: [...[...names, ...prompts(), ...skills()].map((name) => entry(name)), entry("bin/okstra", undefined, 0o755)],
    manifest: /** @type {Record<string, any>} */ ({ name: "okstra", version, optionalDependencies: platformDependencies() }),
  };
}

/** @param {Platform} [platform] */
function goodPlatform(platform = host) {
  return {
    filename: `okstra-${platform.name}-${version}.tgz`,
    file: "",
    entries: [
      entry("package.json"),
      entry("LICENSE"),
      entry(addonName(platform), addon, 0o755),
      entry(executableName(platform), executable, 0o755),
    ],
    manifest: /** @type {Record<string, any>} */ (expectedManifest(platform)),
  };
}

test("a good main package passes, and each fault is found", (t) => {
  assert.deepEqual(checkMain(goodMain(t), { release: true }).problems, []);
  /** @type {[(pack: ReturnType<typeof goodMain>) => void, RegExp][]} */
  const faults = [
    [(pack) => pack.entries.push(entry("npm/okstra.linux-x64-gnu.node")), /\.node must not be in it/],
    [(pack) => pack.entries.push(entry("skills/tool.node")), /\.node must not be in it/],
    [(pack) => pack.entries.push(entry("npm/linux-x64-gnu/package.json")), /must not be in it/],
    [(pack) => pack.entries.push(entry("src/main.rs")), /must not be in it/],
    [(pack) => pack.entries.splice(1, 1), /LICENSE is missing/],
    [(pack) => (pack.entries = pack.entries.filter(({ name }) => name !== "prompts/lead.md")), /prompts\/lead\.md is missing/],
    [(pack) => (pack.entries = pack.entries.filter(({ name }) => name !== "skills/okstra-status/SKILL.md")), /skills\/okstra-status\/SKILL\.md is missing/],
    [(pack) => (pack.entries[pack.entries.length - 1].mode = 0o644), /bin\/okstra has mode 644/],
    [(pack) => (pack.manifest.scripts = { postinstall: "node x" }), /postinstall script/],
    [(pack) => (pack.manifest.dependencies = { left: "1" }), /has dependencies/],
    [(pack) => delete pack.manifest.optionalDependencies["okstra-win32-x64"], /optionalDependencies/],
    [(pack) => (pack.manifest.optionalDependencies["okstra-win32-x64"] = `^${version}`), /optionalDependencies/],
    [(pack) => writeFileSync(pack.file, Buffer.alloc(LIMITS.mainTarball)), /the limit is 300000/],
    [(pack) => (pack.filename = "okstra.tgz"), /its name should be/],
  ];
  for (const [spoil, message] of faults) {
    const pack = goodMain(t);
    spoil(pack);
    const { problems } = checkMain(pack, { release: true });
    assert.equal(problems.length, 1, `${message}: ${problems.join("; ")}`);
    assert.match(problems[0], message);
  }
});

test("a good platform package passes, and each fault is found", () => {
  assert.deepEqual(checkPlatform(goodPlatform(), host, { release: false }).problems, []);
  /** @type {[(pack: ReturnType<typeof goodPlatform>) => void, RegExp][]} */
  const faults = [
    [(pack) => pack.entries.push(entry("other.node")), /other\.node must not be in it/],
    [(pack) => pack.entries.pop(), /is missing/],
    [(pack) => (pack.entries[3].mode = 0o644), /has mode 644, not 755/],
    [(pack) => (pack.entries[2].content = Buffer.from("no addon".repeat(20))), /is no compiled file/],
    [(pack) => (pack.manifest = { ...pack.manifest, cpu: ["mips"] }), /its cpu is/],
    [(pack) => (pack.manifest = { ...pack.manifest, libc: ["other"] }), /its libc is/],
    [(pack) => (pack.manifest = { ...pack.manifest, version: "9.9.9" }), /its version is/],
  ];
  for (const [spoil, message] of faults) {
    if (host.libc === null && /libc/.test(message.source)) continue;
    const pack = goodPlatform();
    spoil(pack);
    const { problems } = checkPlatform(pack, host, { release: false });
    assert.equal(problems.length, 1, `${message}: ${problems.join("; ")}`);
    assert.match(problems[0], message);
  }
});

test("files of another platform are found in a package", () => {
  for (const platform of platforms.filter((each) => each !== host)) {
    const { problems } = checkPlatform(goodPlatform(platform), platform, { release: false });
    assert.ok(problems.length >= 2, `${platform.name}: ${problems.join("; ")}`);
    assert.match(problems[0], /^okstra.* is (for|linked with)/);
  }
});

test("a compiled file that is too large for a release is found", () => {
  const pack = goodPlatform();
  const padded = Buffer.concat([addon, Buffer.alloc(LIMITS.compiledFile)]);
  pack.entries = pack.entries.map((each) => (each.name === addonName(host) ? { ...each, content: padded } : { ...each, content: executable.subarray() }));
  assert.ok(checkPlatform(pack, host, { release: true }).problems.some((problem) => problem.includes("the limit is 4000000")));
  assert.deepEqual(checkPlatform(pack, host, { release: false }).problems, []);
});

test("the glibc floor is read from the files and kept", { skip: host.libc === "glibc" ? false : "needs glibc" }, () => {
  const { glibc, needed, interpreter } = readElf(executable);
  assert.match(glibc ?? "", /^2\.\d+$/);
  assert.ok(needed.includes("libc.so.6"));
  assert.match(interpreter ?? "", /ld-linux/);
  assert.equal(readElf(addon).interpreter, null);
  assert.deepEqual(checkPlatform(goodPlatform(), host, { release: false, floor: "9.0" }).problems, []);
  const { problems } = checkPlatform(goodPlatform(), host, { release: false, floor: "2.2" });
  assert.equal(problems.length, 2);
  assert.match(problems[0], /needs glibc 2\.\d+, newer than 2\.2/);
});

test("versions are compared as numbers", () => {
  assert.deepEqual(["2.4", "2.34", "2.2.5", "2.28"].sort(compareVersions), ["2.2.5", "2.4", "2.28", "2.34"]);
});

test("compiled files of every system are told apart", () => {
  const pe = Buffer.alloc(256);
  pe.write("MZ");
  pe.writeUInt32LE(128, 60);
  pe.write("PE\0\0", 128);
  pe.writeUInt16LE(0xaa64, 132);
  assert.deepEqual(parseBinary(pe), { format: "pe", cpu: "arm64" });
  const mach = Buffer.alloc(64);
  mach.writeUInt32LE(0xfeedfacf, 0);
  mach.writeUInt32LE(0x0100000c, 4);
  assert.deepEqual(parseBinary(mach), { format: "mach-o", cpu: "arm64" });
  assert.deepEqual(parseBinary(addon)?.cpu, process.arch);
  assert.equal(parseBinary(Buffer.from("#!/bin/sh")), null);
  assert.equal(parseBinary(Buffer.from("MZ".padEnd(100, "\xff"), "latin1")), null);
});
