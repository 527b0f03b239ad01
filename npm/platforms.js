/**
 * The one table of the platforms that okstra is built for. The loader, the packing and the checks of the packed files
 * all read it; `npm/<name>/package.json` repeats it for the registry, and a test holds the two together.
 */

/**
 * @typedef {object} Platform
 * @property {string} name what `okstra-<name>` and `okstra.<name>.node` are called after
 * @property {NodeJS.Platform} os as `process.platform` says it
 * @property {string} cpu as `process.arch` says it
 * @property {"glibc" | "musl" | null} libc the C library, on Linux only
 * @property {string} target the Rust target that it is built from
 */

/** @type {readonly Platform[]} */
export const platforms = Object.freeze([
  { name: "linux-x64-gnu", os: "linux", cpu: "x64", libc: "glibc", target: "x86_64-unknown-linux-gnu" },
  { name: "linux-x64-musl", os: "linux", cpu: "x64", libc: "musl", target: "x86_64-unknown-linux-musl" },
  { name: "linux-arm64-gnu", os: "linux", cpu: "arm64", libc: "glibc", target: "aarch64-unknown-linux-gnu" },
  { name: "linux-arm64-musl", os: "linux", cpu: "arm64", libc: "musl", target: "aarch64-unknown-linux-musl" },
  { name: "darwin-x64", os: "darwin", cpu: "x64", libc: null, target: "x86_64-apple-darwin" },
  { name: "darwin-arm64", os: "darwin", cpu: "arm64", libc: null, target: "aarch64-apple-darwin" },
  { name: "win32-x64", os: "win32", cpu: "x64", libc: null, target: "x86_64-pc-windows-msvc" },
  { name: "win32-arm64", os: "win32", cpu: "arm64", libc: null, target: "aarch64-pc-windows-msvc" },
]);

/** The registry's name of a platform's package. */
export const packageName = (/** @type {Platform} */ platform) => `okstra-${platform.name}`;

/** The file name of a platform's addon. */
export const addonName = (/** @type {Platform} */ platform) => `okstra.${platform.name}.node`;

/** The file name of a platform's executable. */
export const executableName = (/** @type {Platform} */ platform) => (platform.os === "win32" ? "okstra.exe" : "okstra");

/**
 * The platforms that a system and a CPU leave open: none, one, or on Linux one for each C library.
 *
 * @param {string} os
 * @param {string} cpu
 * @returns {Platform[]}
 */
export function platformsFor(os, cpu) {
  return platforms.filter((platform) => platform.os === os && platform.cpu === cpu);
}

/** @type {"glibc" | "musl" | null | undefined} */
let libcFamily;
/** @type {string | null} */
let glibc = null;

/**
 * Which C library this Node was linked with. The diagnostic report knows it without starting a program, but takes some
 * milliseconds: this is asked only when two C libraries are in question or an error is put into words.
 *
 * @returns {{ family: "glibc" | "musl" | null, version: string | null }}
 */
export function hostLibc() {
  if (libcFamily === undefined) {
    libcFamily = null;
    if (process.platform === "linux") {
      glibc = glibcOfReport();
      libcFamily = glibc === null ? "musl" : "glibc";
    }
  }
  return { family: libcFamily, version: glibc };
}

/** @returns {string | null} */
function glibcOfReport() {
  const report = /** @type {NodeJS.ProcessReport & { excludeNetwork: boolean }} */ (process.report);
  const network = report.excludeNetwork;
  report.excludeNetwork = true; // else it may look up the name of each open connection
  try {
    const document = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (report.getReport());
    return document.header.glibcVersionRuntime ?? null;
  } finally {
    report.excludeNetwork = network;
  }
}

/**
 * The platform that this process runs on, or null where okstra is not built for it.
 *
 * @returns {Platform | null}
 */
export function hostPlatform() {
  const open = platformsFor(process.platform, process.arch);
  if (open.length < 2) return open[0] ?? null;
  const { family } = hostLibc();
  return open.find((platform) => platform.libc === family) ?? null;
}
