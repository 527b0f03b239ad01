/**
 * The wrapper of every exported operation: checks the options by the table that was generated from the core's types,
 * connects an AbortSignal with the core's cancel flag, and rejects with errors that carry a `code`.
 */
import { loadAddon } from "./loader.js";

/**
 * @typedef {Record<string, string>} Fields name → type: `string`, `number`, `boolean`, `string[]` or `any`, with `?` when
 *   it can be left out. Numbers are counts: whole, and not negative.
 */

/**
 * @param {string} name the export of the core
 * @param {Fields} fields
 * @returns {(options?: any) => Promise<any>}
 */
export function operation(name, fields) {
  return async function operate(options = {}) {
    const { signal, given } = check(name, fields, options);
    if (signal?.aborted) throw cancelled(signal);
    const addon = await loadAddon();
    if (signal?.aborted) throw cancelled(signal);
    const cancel = new addon.Cancel();
    const stop = () => cancel.cancel();
    signal?.addEventListener("abort", stop, { once: true });
    try {
      return await start(addon, name, given, cancel);
    } catch (error) {
      throw signal?.aborted && /** @type {any} */ (error).code === "cancelled" ? cancelled(signal) : error;
    } finally {
      signal?.removeEventListener("abort", stop);
    }
  };
}

/**
 * What the core throws at once, and not by its promise, is about the arguments.
 *
 * @param {Record<string, Function>} addon
 * @param {string} name
 * @param {object} given
 * @param {object} cancel
 * @returns {Promise<unknown>}
 */
function start(addon, name, given, cancel) {
  try {
    return addon[name](given, cancel);
  } catch (error) {
    throw usage(`${name}: ${error instanceof Error ? error.message : error}`, error);
  }
}

/**
 * @param {string} name
 * @param {Fields} fields
 * @param {unknown} options
 * @returns {{ signal: AbortSignal | undefined, given: Record<string, unknown> }}
 */
function check(name, fields, options) {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw usage(`${name}: the options must be an object, not ${kindOf(options)}`);
  }
  const { signal = undefined, ...rest } = /** @type {Record<string, unknown>} */ (options);
  if (signal !== undefined && !isSignal(signal)) throw usage(`${name}: signal must be an AbortSignal, not ${kindOf(signal)}`);
  const unknown = Object.keys(rest).find((key) => !Object.hasOwn(fields, key));
  if (unknown !== undefined) {
    throw usage(`${name}: there is no option ${unknown}; the options are ${[...Object.keys(fields), "signal"].join(", ")}`);
  }
  const given = /** @type {Record<string, unknown>} */ ({});
  for (const [key, type] of Object.entries(fields)) {
    const value = rest[key];
    if (value === undefined && type.endsWith("?")) continue;
    if (!fits(value, type.replace("?", ""))) throw usage(`${name}: ${key} must be ${typeWords(type)}, not ${kindOf(value)}`);
    given[key] = value;
  }
  return { signal: /** @type {AbortSignal | undefined} */ (signal), given };
}

/** @param {unknown} value @param {string} type */
function fits(value, type) {
  switch (type) {
    case "any":
      return true;
    case "number":
      return Number.isSafeInteger(value) && /** @type {number} */ (value) >= 0;
    case "string[]":
      return Array.isArray(value) && value.every((each) => typeof each === "string");
    default:
      return typeof value === type;
  }
}

/** @param {string} type */
function typeWords(type) {
  return { number: "a whole number from 0", "string[]": "an array of strings" }[type.replace("?", "")] ?? `a ${type.replace("?", "")}`;
}

/** @param {unknown} value */
function kindOf(value) {
  if (value === undefined || value === null) return String(value);
  if (typeof value === "number") return `the number ${value}`;
  if (Array.isArray(value)) return "an array";
  return { object: "an object", function: "a function" }[/** @type {string} */ (typeof value)] ?? `a ${typeof value}`;
}

/** Also one of another realm or of a library. @param {any} value @returns {value is AbortSignal} */
function isSignal(value) {
  return typeof value === "object" && value !== null && typeof value.aborted === "boolean" && typeof value.addEventListener === "function";
}

/** @param {string} message @param {unknown} [cause] */
function usage(message, cause) {
  return Object.assign(new TypeError(message, cause === undefined ? undefined : { cause }), { code: "usage" });
}

/** @param {AbortSignal} signal */
function cancelled(signal) {
  const error = new Error("stopped on request", { cause: signal.reason });
  return Object.assign(error, { name: "AbortError", code: "cancelled" });
}
