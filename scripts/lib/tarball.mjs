/** Reads the entries of an npm tarball: what a person's npm will unpack, and not what a folder holds. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

/** @typedef {{ name: string, mode: number, content: Buffer }} Entry `name` without the leading `package/` */

const BLOCK = 512;

/**
 * @param {string} file
 * @returns {Entry[]}
 */
export function readTarball(file) {
  const bytes = gunzipSync(readFileSync(file));
  const entries = [];
  let longName;
  for (let at = 0; at + BLOCK <= bytes.length && bytes[at] !== 0; ) {
    const header = bytes.subarray(at, at + BLOCK);
    const size = octal(header, 124, 12);
    const content = bytes.subarray(at + BLOCK, at + BLOCK + size);
    const kind = String.fromCharCode(header[156]);
    if (kind === "x") {
      longName = /\d+ path=(.*)\n/.exec(content.toString("utf8"))?.[1];
    } else {
      const name = longName ?? [text(header, 345, 155), text(header, 0, 100)].filter(Boolean).join("/");
      if (kind === "0" || kind === "\0") entries.push({ name: name.replace(/^package\//, ""), mode: octal(header, 100, 8), content });
      longName = undefined;
    }
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return entries;
}

/** @param {Buffer} header @param {number} at @param {number} length */
function text(header, at, length) {
  return header.toString("utf8", at, at + length).split("\0", 1)[0];
}

/** @param {Buffer} header @param {number} at @param {number} length */
function octal(header, at, length) {
  return Number.parseInt(text(header, at, length).trim() || "0", 8);
}
