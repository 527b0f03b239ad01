/** The loader names the true cause: each is planted in a copy of the package and read off the dispatcher. */
import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { addonName, hostPlatform, packageName } from "../../npm/platforms.js";
import { mainManifest, platformManifest } from "../../scripts/lib/metadata.mjs";
import { inRoot, writeJson } from "../../scripts/lib/project.mjs";
import { built, run, scratch } from "./common.mjs";

const platform = /** @type {import("../../npm/platforms.js").Platform} */ (hostPlatform());
const { version } = mainManifest();
const onLinux = { skip: process.platform === "linux" ? false : "patches a Linux addon" };

/**
 * A copy of the package in a node_modules folder, with the platform's package beside it.
 *
 * @param {import("node:test").TestContext} t
 */
function install(t) {
  const modules = join(scratch(t), "node_modules");
  const okstra = join(modules, "okstra");
  cpSync(inRoot("bin"), join(okstra, "bin"), { recursive: true });
  cpSync(inRoot("npm"), join(okstra, "npm"), { recursive: true, filter: (file) => !/\.node$|json$/.test(file) });
  writeJson(join(okstra, "package.json"), mainManifest());
  return { modules, okstra };
}

/** @param {string} modules @param {typeof platform} [which] */
function plant(modules, which = platform) {
  const folder = join(modules, packageName(which));
  mkdirSync(folder, { recursive: true });
  writeJson(join(folder, "package.json"), platformManifest(which));
  const addon = join(folder, addonName(which));
  cpSync(built.addon, addon);
  return { folder, addon, manifest: join(folder, "package.json") };
}

/** Runs the copy's dispatcher. @param {string} okstra @param {string[]} args @param {string[]} [flags] of Node */
const start = (okstra, args, flags = []) => run(process.execPath, [...flags, join(okstra, "bin", "okstra"), ...args]);

/**
 * Both forms of a failure say the same, and everything that a bug report needs.
 *
 * @param {string} okstra
 * @param {{ code: string, says: RegExp, hint: RegExp, flags?: string[], machine?: RegExp }} expected
 */
async function assertFailure(okstra, { code, says, hint, flags = [], machine = new RegExp(process.arch) }) {
  const text = await start(okstra, ["status"], flags);
  assert.equal(text.code, 70, text.stderr);
  assert.equal(text.stdout, "");
  assert.match(text.stderr, says);
  const json = await start(okstra, ["status", "--json"], flags);
  assert.equal(json.code, 70);
  assert.equal(json.stderr, "");
  const document = JSON.parse(json.stdout);
  assert.deepEqual(Object.keys(document), ["error", "code", "hint"]);
  assert.equal(document.code, code);
  assert.match(document.error, says);
  assert.match(document.hint, hint);
  for (const said of [text.stderr, document.error]) {
    for (const fact of [`okstra ${version} in ${okstra}`, `Node ${process.version}`]) assert.ok(said.includes(fact), said);
    assert.match(said, machine);
  }
  assert.ok(text.stderr.endsWith(`\n\nhint: ${document.hint}\n`), text.stderr);
  const only = await start(okstra, ["--version"], flags);
  assert.deepEqual([only.code, only.stdout, only.stderr], [0, `okstra ${version}\n`, ""]);
}

/** Replaces bytes of an addon by others of the same number. @param {string} file @param {string} from @param {string} to */
function patch(file, from, to) {
  const content = readFileSync(file);
  const at = content.indexOf(from, 0, "latin1");
  assert.ok(at > 0 && from.length === to.length, `${file} has no ${from}`);
  for (let place = at; place >= 0; place = content.indexOf(from, place + 1, "latin1")) content.write(to, place, "latin1");
  writeFileSync(file, content);
}

test("the platform package is loaded", async (t) => {
  const { modules, okstra } = install(t);
  plant(modules);
  const { code, stdout, stderr } = await start(okstra, ["--help"]);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /content-merged/);
});

test("an addon built in the folder goes before the package", async (t) => {
  const { modules, okstra } = install(t);
  writeFileSync(plant(modules).addon, "no addon");
  cpSync(built.addon, join(okstra, "npm", addonName(platform)));
  assert.equal((await start(okstra, ["--help"])).code, 0);
});

test("a missing package", async (t) => {
  const { okstra } = install(t);
  await assertFailure(okstra, {
    code: "platform-package-missing",
    says: new RegExp(`the package ${packageName(platform)} is missing`),
    hint: /--omit=optional.*lock file/,
  });
});

test("a package of another system in its place", async (t) => {
  const { modules, okstra } = install(t);
  const other = { name: "aix-ppc64", os: "aix", cpu: "ppc64", libc: null, target: "" };
  const { platforms } = await import("../../npm/platforms.js");
  const foreign = platforms.find((each) => each.os !== process.platform) ?? other;
  plant(modules, /** @type {typeof platform} */ (foreign));
  await assertFailure(okstra, {
    code: "platform-package-missing",
    says: new RegExp(`${packageName(platform)} is missing; ${foreign && packageName(/** @type {typeof platform} */ (foreign))} is there instead`),
    hint: /on another system/,
  });
});

test("a platform that okstra is not built for", async (t) => {
  const { okstra } = install(t);
  const pretend = `data:text/javascript,Object.defineProperty(process, "arch", { value: "riscv64" })`;
  await assertFailure(okstra, {
    code: "platform-unsupported",
    says: /okstra is not built for \w+ on riscv64/,
    hint: /linux-x64-gnu.*win32-arm64/,
    flags: [`--import=${pretend}`],
    machine: /riscv64/,
  });
});

test("a package of another version", async (t) => {
  const { modules, okstra } = install(t);
  const { manifest } = plant(modules);
  writeJson(manifest, { ...platformManifest(platform), version: "9.9.9" });
  await assertFailure(okstra, {
    code: "version-mismatch",
    says: new RegExp(`okstra is version ${version}, but the package ${packageName(platform)} is version 9.9.9`),
    hint: new RegExp(`npm install okstra@${version}`),
  });
});

test("an addon of another version under the right manifest", async (t) => {
  const { modules, okstra } = install(t);
  writeJson(join(okstra, "package.json"), { ...mainManifest(), version: "9.9.9" });
  const { manifest } = plant(modules);
  writeJson(manifest, { ...platformManifest(platform), version: "9.9.9" });
  const { code, stderr } = await start(okstra, ["status"]);
  assert.equal(code, 70);
  assert.match(stderr, new RegExp(`okstra is version 9.9.9, but .* is version ${version}`));
});

test("a stale addon in a checkout", async (t) => {
  const { okstra } = install(t);
  writeJson(join(okstra, "package.json"), { ...mainManifest(), version: "9.9.9" });
  cpSync(built.addon, join(okstra, "npm", addonName(platform)));
  const { code, stderr } = await start(okstra, ["status"]);
  assert.equal(code, 70);
  assert.match(stderr, /hint: .*npm run build/);
});

test("a checkout that was not built", async (t) => {
  const { okstra } = install(t);
  writeFileSync(join(okstra, "Cargo.toml"), "");
  await assertFailure(okstra, { code: "platform-package-missing", says: /the core is not built/, hint: /npm run build/ });
});

test("a package whose addon is gone, cut off, or no addon", async (t) => {
  const { modules, okstra } = install(t);
  const { addon } = plant(modules);
  // Of one that lost its end only the system would tell, by killing the process.
  for (const length of [statSync(addon).size - 1, 100_000, 300]) {
    truncateSync(addon, length);
    const says = process.platform === "linux" ? /okstra\..*\.node is damaged[^]*cut off/ : /okstra\..*\.node cannot be loaded/;
    await assertFailure(okstra, { code: "addon-not-loadable", says, hint: /npm install/ });
  }
  writeFileSync(addon, "<html>a proxy's error page</html>".repeat(10));
  await assertFailure(okstra, { code: "addon-not-loadable", says: /\.node is damaged/, hint: /npm install/ });
  const { okstra: second, modules: emptied } = install(t);
  writeJson(join(emptied, packageName(platform), "package.json"), platformManifest(platform));
  await assertFailure(second, { code: "addon-not-loadable", says: /is missing from its package/, hint: /npm install/ });
});

test("a C library that is too old", onLinux, async (t) => {
  if (platform.libc !== "glibc") return t.skip("this Node runs on musl");
  const { modules, okstra } = install(t);
  patch(plant(modules).addon, "GLIBC_2.", "GLIBC_9.");
  await assertFailure(okstra, {
    code: "addon-not-loadable",
    says: /C library is too old for okstra: it needs glibc 9[\d.]+ or newer, here is glibc 2\.\d+[^]*version `GLIBC_9/,
    hint: /glibc 2\.28 is enough/,
  });
});

test("an addon for another CPU", onLinux, async (t) => {
  const { modules, okstra } = install(t);
  const { addon } = plant(modules);
  const content = readFileSync(addon);
  const other = process.arch === "x64" ? ["arm64", 0xb7] : ["x64", 0x3e];
  content.writeUInt16LE(Number(other[1]), 18);
  writeFileSync(addon, content);
  await assertFailure(okstra, {
    code: "addon-not-loadable",
    says: new RegExp(`was made for linux on ${other[0]}, not for this linux on ${process.arch}`),
    hint: /remove node_modules/,
  });
});

test("an addon for the other C library", onLinux, async (t) => {
  const { platforms } = await import("../../npm/platforms.js");
  const other = platforms.find((each) => each.os === "linux" && each.cpu === process.arch && each.libc !== platform.libc);
  const { modules, okstra } = install(t);
  patch(plant(modules, other).addon, "libc.so.6", "libc.none");
  await assertFailure(okstra, {
    code: "addon-not-loadable",
    says: new RegExp(`the package ${packageName(/** @type {typeof platform} */ (other))} is for ${other?.libc}, but this Node runs on ${platform.libc}`),
    hint: /npm 10\.4/,
  });
  plant(modules);
  assert.equal((await start(okstra, ["--help"])).code, 0, "of two packages the right one is taken");
});

test("what stands behind -- does not choose the form of the error", async (t) => {
  const { okstra } = install(t);
  const { code, stdout, stderr } = await start(okstra, ["worker", "exec", "--", "tool", "--json"]);
  assert.deepEqual([code, stdout], [70, ""]);
  assert.match(stderr, /^error: /);
});

test("--version with anything else is the core's affair", async (t) => {
  const { okstra } = install(t);
  assert.equal((await start(okstra, ["--version", "--json"])).code, 70);
});
