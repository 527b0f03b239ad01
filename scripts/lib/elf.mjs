/**
 * Reads from a Linux program or library what it asks of the system: its libraries, its program loader, and the newest
 * version of glibc's symbols that it uses. No tool of a toolchain is needed, so it works on every host.
 */

const PT_LOAD = 1;
const PT_DYNAMIC = 2;
const PT_INTERP = 3;
const DT_NEEDED = 1;
const DT_STRTAB = 5;
const DT_VERNEED = 0x6ffffffe;
const DT_VERNEEDNUM = 0x6fffffff;

/** @typedef {{ type: number, offset: number, address: number, size: number }} Segment */

/**
 * @param {Buffer} file a 64-bit little-endian ELF file
 * @returns {{ needed: string[], interpreter: string | null, glibc: string | null }}
 */
export function readElf(file) {
  if (file.readUInt32BE(0) !== 0x7f454c46 || file[4] !== 2 || file[5] !== 1) throw new Error("not a 64-bit little-endian ELF file");
  const segments = readSegments(file);
  const interpreter = segments.find((segment) => segment.type === PT_INTERP);
  const dynamic = readDynamic(file, segments);
  const strings = dynamic.find(([tag]) => tag === DT_STRTAB);
  const text = (/** @type {number} */ at) => textAt(file, offsetOf(segments, strings?.[1] ?? 0) + at);
  return {
    needed: dynamic.filter(([tag]) => tag === DT_NEEDED).map(([, at]) => text(at)),
    interpreter: interpreter === undefined ? null : textAt(file, interpreter.offset),
    glibc: newest(readVersions(file, segments, dynamic).map(text)),
  };
}

/** @param {Buffer} file @returns {Segment[]} */
function readSegments(file) {
  const start = Number(file.readBigUInt64LE(32));
  const size = file.readUInt16LE(54);
  return Array.from({ length: file.readUInt16LE(56) }, (_, index) => {
    const at = start + index * size;
    const number = (/** @type {number} */ place) => Number(file.readBigUInt64LE(at + place));
    return { type: file.readUInt32LE(at), offset: number(8), address: number(16), size: number(32) };
  });
}

/** @param {Buffer} file @param {Segment[]} segments @returns {[number, number][]} tag and value */
function readDynamic(file, segments) {
  const dynamic = segments.find((segment) => segment.type === PT_DYNAMIC);
  if (dynamic === undefined) return [];
  return Array.from({ length: Math.floor(dynamic.size / 16) }, (_, index) => {
    const at = dynamic.offset + index * 16;
    return [Number(file.readBigUInt64LE(at)), Number(file.readBigUInt64LE(at + 8))];
  });
}

/**
 * Where the names of the needed symbol versions stand in the string table: a list of libraries, each with a list of
 * versions.
 *
 * @param {Buffer} file @param {Segment[]} segments @param {[number, number][]} dynamic
 */
function readVersions(file, segments, dynamic) {
  const table = dynamic.find(([tag]) => tag === DT_VERNEED);
  const count = dynamic.find(([tag]) => tag === DT_VERNEEDNUM)?.[1] ?? 0;
  const names = [];
  let library = table === undefined ? 0 : offsetOf(segments, table[1]);
  for (let each = 0; each < count; each++) {
    let version = library + file.readUInt32LE(library + 8);
    for (let left = file.readUInt16LE(library + 2); left > 0; left--) {
      names.push(file.readUInt32LE(version + 8));
      version += file.readUInt32LE(version + 12);
    }
    library += file.readUInt32LE(library + 12);
  }
  return names;
}

/** @param {Segment[]} segments @param {number} address */
function offsetOf(segments, address) {
  const home = segments.find(({ type, address: start, size }) => type === PT_LOAD && address >= start && address < start + size);
  if (home === undefined) throw new Error(`no segment holds the address ${address}`);
  return address - home.address + home.offset;
}

/** @param {Buffer} file @param {number} at */
function textAt(file, at) {
  return file.toString("latin1", at, file.indexOf(0, at));
}

/** @param {string[]} versions such as `GLIBC_2.17` @returns {string | null} such as `2.17` */
function newest(versions) {
  const numbers = versions.flatMap((version) => /^GLIBC_(\d+(?:\.\d+)+)$/.exec(version)?.[1] ?? []);
  return numbers.sort(compareVersions).at(-1) ?? null;
}

/** @param {string} left @param {string} right */
export function compareVersions(left, right) {
  const [mine, theirs] = [left, right].map((version) => version.split(".").map(Number));
  for (let place = 0; place < Math.max(mine.length, theirs.length); place++) {
    const difference = (mine[place] ?? 0) - (theirs[place] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
