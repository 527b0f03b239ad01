/**
 * A registry for npm on the loopback address that knows packed files from one folder and nothing else:
 * `node registry.mjs PACK_DIR REQUEST_LOG`. It prints its address when it is ready. Of a platform that was not packed
 * it knows the manifest, as the real registry would, but has no file.
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

/** @type {Map<string, { manifest: Record<string, any>, filename: string, content: Buffer | null }>} */
const packages = new Map();

for (const platform of platforms) {
  const manifest = platformManifest(platform);
  packages.set(packageName(platform), { manifest, filename: `${manifest.name}-${manifest.version}.tgz`, content: null });
}
for (const filename of readJson(join(dir, "pack.json")).tarballs) {
  const entry = readTarball(join(dir, filename)).find(({ name }) => name === "package.json");
  const manifest = JSON.parse(String(entry?.content));
  packages.set(manifest.name, { manifest, filename, content: readFileSync(join(dir, filename)) });
}

/** @param {string} name @param {string} origin */
function packument(name, origin) {
  const { manifest, filename, content } = /** @type {NonNullable<ReturnType<typeof packages.get>>} */ (packages.get(name));
  const digest = (/** @type {string} */ kind) => createHash(kind).update(content ?? "not packed");
  const dist = {
    tarball: `${origin}/${name}/-/${filename}`,
    integrity: `sha512-${digest("sha512").digest("base64")}`,
    shasum: digest("sha1").digest("hex"),
  };
  return { name, "dist-tags": { latest: manifest.version }, versions: { [manifest.version]: { ...manifest, dist } } };
}

const server = createServer((request, response) => {
  const path = decodeURIComponent(new URL(request.url ?? "/", "http://registry").pathname).slice(1);
  const [name, dash, filename] = path.split("/");
  const known = request.method === "GET" ? packages.get(name) : undefined;
  /** @type {[number, string, string | Buffer]} */
  let answer = [404, "application/json", '{"error":"not found"}'];
  if (known && dash === undefined) {
    answer = [200, "application/json", JSON.stringify(packument(name, `http://${request.headers.host}`))];
  } else if (known?.content && dash === "-" && filename === known.filename) {
    answer = [200, "application/octet-stream", known.content];
  }
  appendFileSync(log, `${request.method} /${path} ${answer[0]}\n`);
  response.writeHead(answer[0], { "content-type": answer[1] }).end(answer[2]);
});

server.listen(0, "127.0.0.1", () => {
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  process.stdout.write(`http://127.0.0.1:${port}\n`);
});
