/**
 * Shows a failure of the loader as the command line shows every failure: text on stderr, or with `--json` one document
 * on stdout. Written straight to the descriptors, since touching `process.stdout` would change the pipe behind it.
 */
import { writeSync } from "node:fs";

/** The exit code that says: there is no core to run. */
export const NO_CORE = 70;

/**
 * @param {unknown} error
 * @param {string[]} args
 * @returns {number} the exit code
 */
export function showFailure(error, args) {
  const { message, code = "addon-not-loadable", hint = null, parts } = /** @type {any} */ (error);
  if (wantsJson(args)) {
    write(1, `${JSON.stringify({ error: message, code, hint })}\n`);
  } else {
    write(2, text(parts ?? { what: String(message), first: null, machine: null }, hint));
  }
  return NO_CORE;
}

/**
 * @param {{ what: string, first: string | null, machine: string | null }} parts
 * @param {string | null} hint
 */
function text({ what, first, machine }, hint) {
  const lines = [`error: ${what}`];
  if (first !== null) lines.push(`caused by: ${first}`);
  if (machine !== null) lines.push(`with: ${machine}`);
  if (hint !== null) lines.push("", `hint: ${hint}`);
  return `${lines.join("\n")}\n`;
}

/** What stands behind `--` belongs to another program. @param {string[]} args */
function wantsJson(args) {
  const end = args.indexOf("--");
  return args.slice(0, end < 0 ? args.length : end).includes("--json");
}

/**
 * Writes all of it; a reader that went away is not an error.
 *
 * @param {number} descriptor
 * @param {string} content
 */
export function write(descriptor, content) {
  let rest = Buffer.from(content);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== "EAGAIN") return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5); // a full pipe that someone made non-blocking
    }
  }
}
