/**
 * Reads from the first bytes of a compiled file which system and CPU it was made for, to tell a damaged file from one
 * that belongs to another machine.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** @typedef {{ format: "elf" | "mach-o" | "pe", cpu: string }} Binary `cpu` in the words of `process.arch`, or a number */

const ELF = 0x7f454c46;
const ELF_CPUS = new Map([[0x3e, "x64"], [0xb7, "arm64"], [0x03, "ia32"], [0x28, "arm"]]);
const MACH_CPUS = new Map([[0x01000007, "x64"], [0x0100000c, "arm64"]]);
const PE_CPUS = new Map([[0x8664, "x64"], [0xaa64, "arm64"], [0x014c, "ia32"]]);

/** Enough for each format's header; a Windows linker puts its own within the first few hundred bytes. */
const HEAD = 4096;

/**
 * What a file was compiled for, or null where it is no compiled file.
 *
 * @param {string} file
 * @returns {Binary | null}
 */
export function readBinary(file) {
  const head = Buffer.alloc(HEAD);
  const descriptor = openSync(file, "r");
  try {
    const length = readSync(descriptor, head, 0, HEAD, 0);
    const binary = parseBinary(head.subarray(0, length));
    return binary?.format === "elf" && endOf(head) > fstatSync(descriptor).size ? null : binary;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Whether a file is as long as its header says; only ELF says it. Linux loads a file that was cut off, and then ends the
 * process that touches what is missing.
 *
 * @param {string} file
 */
export function isWhole(file) {
  const head = Buffer.alloc(64);
  const descriptor = openSync(file, "r");
  try {
    const length = readSync(descriptor, head, 0, 64, 0);
    return length < 64 || head.readUInt32BE(0) !== ELF || endOf(head) <= fstatSync(descriptor).size;
  } finally {
    closeSync(descriptor);
  }
}

/** Where the table of sections of a 64-bit ELF file ends, which linkers write last. @param {Buffer} head */
function endOf(head) {
  return Number(head.readBigUInt64LE(40)) + head.readUInt16LE(58) * head.readUInt16LE(60);
}

/**
 * @param {Buffer} head
 * @returns {Binary | null}
 */
export function parseBinary(head) {
  if (head.length < 64) return null;
  if (head.readUInt32BE(0) === ELF) return { format: "elf", cpu: word(ELF_CPUS, head.readUInt16LE(18)) };
  if (head.readUInt32LE(0) === 0xfeedfacf) return { format: "mach-o", cpu: word(MACH_CPUS, head.readUInt32LE(4)) };
  if (head.readUInt16BE(0) === 0x4d5a) {
    const header = head.readUInt32LE(60);
    const found = header + 6 <= head.length && head.readUInt32BE(header) === 0x50450000;
    return found ? { format: "pe", cpu: word(PE_CPUS, head.readUInt16LE(header + 4)) } : null;
  }
  return null;
}

/** @param {Map<number, string>} words @param {number} number */
function word(words, number) {
  return words.get(number) ?? `0x${number.toString(16)}`;
}

/** The system that loads files of a format. @param {Binary} binary */
export function systemOf(binary) {
  return { elf: "linux", "mach-o": "darwin", pe: "win32" }[binary.format];
}
