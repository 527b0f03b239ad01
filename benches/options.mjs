// Reads command line options, with the nearest name for a wrong one, and shows errors in one line.

import { BenchError, endProgress } from "./environment.mjs";

/**
 * Reads `args` by `flags`: `{name: {value?, read?, many?, help}}`. The options that were given, or null after `--help`.
 */
export function parse(program, flags, args) {
  const options = {};
  const rest = args.flatMap((arg) => (/^--[^=]+=/.test(arg) ? [arg.slice(0, arg.indexOf("=")), { text: arg.slice(arg.indexOf("=") + 1) }] : [arg]));
  for (let i = 0; i < rest.length; i += 1) {
    const arg = rest[i];
    if (arg === "--help" || arg === "-h") {
      process.stdout.write(usage(program, flags));
      return null;
    }
    const flag = typeof arg === "string" && arg.startsWith("--") ? arg.slice(2) : "";
    if (!Object.hasOwn(flags, flag)) throw unknown(arg, flags);
    const { value, read = (text) => text, many = false } = flags[flag];
    const attached = typeof rest[i + 1] === "object";
    if (value === undefined) {
      if (attached) throw usageError(`--${flag} takes no value`);
      options[flag] = true;
      continue;
    }
    i += 1;
    const text = attached ? rest[i].text : rest[i];
    if (text === undefined || text === "" || (!attached && text.startsWith("--"))) throw usageError(`--${flag} needs a value: --${flag} ${value}`);
    const result = read(text, `--${flag}`);
    options[flag] = many ? [...(options[flag] ?? []), result] : result;
  }
  return options;
}

function usage(program, flags) {
  const left = Object.entries(flags).map(([name, { value }]) => `  --${name}${value === undefined ? "" : ` ${value}`}`);
  const width = Math.max(...left.map((text) => text.length)) + 2;
  const lines = Object.values(flags).map(({ help }, i) => `${left[i].padEnd(width)}${help}`);
  return `Usage: ${program} [options]\n\n${lines.join("\n")}\n`;
}

function unknown(arg, flags) {
  const text = typeof arg === "string" ? arg : arg.text;
  const near = nearest(text.replace(/^-+/, ""), Object.keys(flags));
  const what = text.startsWith("-") ? "option" : "argument";
  return usageError(`unknown ${what} \`${text}\`${near === null ? "" : `; did you mean \`--${near}\`?`}`);
}

export function usageError(message) {
  return new BenchError(message, { code: "usage" });
}

/** Reads a whole number of at least `low`. */
export function wholeNumber(low) {
  return (text, name) => {
    const number = Number(text);
    if (!/^\d+$/.test(text) || !Number.isSafeInteger(number) || number < low) throw usageError(`${name} takes a whole number of at least ${low}, not \`${text}\``);
    return number;
  };
}

/** Reads one of some names. */
export function oneOf(names, what) {
  return (text) => {
    if (names.includes(text)) return text;
    const near = nearest(text, names);
    throw usageError(`there is no ${what} \`${text}\`; ${near === null ? `there are ${names.join(", ")}` : `did you mean \`${near}\`?`}`);
  };
}

/** The name with the fewest single-letter changes, if they are few for its length. */
export function nearest(text, names) {
  const ranked = names.map((name) => ({ name, far: distance(text, name) })).sort((a, b) => a.far - b.far);
  const [best] = ranked;
  return best !== undefined && best.far <= Math.max(2, Math.floor(best.name.length / 3)) ? best.name : null;
}

function distance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length];
}

/** Shows an error and sets the exit code 1; with `json` as the one document on stdout. */
export function report(error, json) {
  endProgress();
  const ours = error instanceof BenchError;
  const message = ours ? error.message.replace(/\s*\n\s*/g, "; ") : (error.stack ?? String(error));
  const { code, hint } = ours ? error : { code: "bug", hint: null };
  if (json) process.stdout.write(`${JSON.stringify({ error: message, code, hint })}\n`);
  else process.stderr.write(`error: ${message}${hint === null ? "" : ` (${hint})`}\n`);
  process.exitCode = 1;
}
