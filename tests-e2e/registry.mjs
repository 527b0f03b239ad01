/**
 * A registry for npm on the loopback address that knows packed files from one folder and nothing else:
 * `node registry.mjs PACK_DIR REQUEST_LOG`. It prints its address when it is ready. `pack.json` in the folder lists the
 * files; a version whose files are added there later is published then, and the last one is the `latest`. Of a platform
 * that was not packed it knows the manifest, as the real registry would, but has no file.
 */
import { createHash } from "node:crypto";
import { appendFileSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { packageName, platforms } from "../npm/platforms.js";
import { platformManifest } from "../scripts/lib/metadata.mjs";
import { readJson } from "../scripts/lib/project.mjs";
import { readTarball } from "../scripts/lib/tarball.mjs";

const [dir, log] = process.argv.slice(2);

/** @typedef {{ manifest: Record<string, any>, filename: string, content: Buffer | null, digests: Record<string, string> }} Release */

/** The releases of each package, the newest last. @type {Map<string, Release[]>} */
let packages = new Map();

/** The list that they were read from. */
let list = "";

/** Reads what is published, if it is not the same as the last time. */
function read() {
  const now = readFileSync(join(dir, "pack.json"), "utf8");
  if (now === list) return;
  const found = JSON.parse(now).tarballs.map(release);
  const versions = new Set(found.map((/** @type {Release} */ { manifest }) => manifest.version));
  packages = new Map();
  for (const version of versions) {
    for (const platform of platforms) {
      const manifest = { ...platformManifest(platform), version };
      publish({ manifest, filename: `${manifest.name}-${version}.tgz`, content: null, digests: digests("not packed") });
    }
  }
  found.forEach(publish);
  list = now;
}

/** @param {string} filename @returns {Release} */
function release(filename) {
  const file = join(dir, filename);
  const entry = readTarball(file).find(({ name }) => name === "package.json");
  const content = readFileSync(file);
  return { manifest: JSON.parse(String(entry?.content)), filename, content, digests: digests(content) };
}

/** @param {string | Buffer} content */
function digests(content) {
  const digest = (/** @type {string} */ kind) => createHash(kind).update(content);
  return { integrity: `sha512-${digest("sha512").digest("base64")}`, shasum: digest("sha1").digest("hex") };
}

/** @param {Release} release */
function publish(release) {
  const { name, version } = release.manifest;
  const others = (packages.get(name) ?? []).filter(({ manifest }) => manifest.version !== version);
  packages.set(name, [...others, release]);
}

/** @param {string} name @param {Release[]} releases @param {string} origin */
function packument(name, releases, origin) {
  const versions = releases.map(({ manifest, filename, digests }) => {
    const dist = { tarball: `${origin}/${name}/-/${filename}`, ...digests };
    return [manifest.version, { ...manifest, dist }];
  });
  return { name, "dist-tags": { latest: versions.at(-1)?.[0] }, versions: Object.fromEntries(versions) };
}

read();

const server = createServer((request, response) => {
  const path = decodeURIComponent(new URL(request.url ?? "/", "http://registry").pathname).slice(1);
  const [name, dash, filename] = path.split("/");
  read();
  const known = request.method === "GET" ? packages.get(name) : undefined;
  const packed = known?.find((each) => each.content !== null && each.filename === filename);
  /** @type {[number, string, string | Buffer]} */
  let answer = [404, "application/json", '{"error":"not found"}'];
  if (known && dash === undefined) {
    answer = [200, "application/json", JSON.stringify(packument(name, known, `http://${request.headers.host}`))];
  } else if (packed?.content && dash === "-") {
    answer = [200, "application/octet-stream", packed.content];
  }
  appendFileSync(log, `${request.method} /${path} ${answer[0]}\n`);
  response.writeHead(answer[0], { "content-type": answer[1] }).end(answer[2]);
});

server.listen(0, "127.0.0.1", () => {
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  process.stdout.write(`http://127.0.0.1:${port}\n`);
});
