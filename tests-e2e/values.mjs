/**
 * Evaluates expressions on JSON files, one after another, for task.sh: starting Node for each of hundreds would take
 * most of a scenario's time. It reads pairs of a file and a JavaScript expression, each text ended by a NUL, and prints a
 * line for each pair: `ok` and the value, or `bad` and what is wrong. In the expression `it` is the document in the file;
 * of a `.jsonl` file it is the list of the documents on its lines. Lists, also nested ones, become words.
 */
import { readFileSync } from "node:fs";

/** @param {string} file */
function read(file) {
  const text = readFileSync(file, "utf8");
  return file.endsWith(".jsonl") ? text.split("\n").filter(Boolean).map((line) => JSON.parse(line)) : JSON.parse(text);
}

/** @param {unknown} value */
const word = (value) => (typeof value === "object" && value !== null ? JSON.stringify(value) : String(value));

/** @param {string} file @param {string} expression @returns {string} */
function answer(file, expression) {
  try {
    const values = [new Function("it", `return (${expression});`)(read(file))].flat(Infinity);
    return `ok ${values.map(word).join(" ")}`;
  } catch (error) {
    return `bad ${error}`;
  }
}

let rest = "";
process.stdin.setEncoding("utf8").on("data", (chunk) => {
  const texts = (rest + chunk).split("\0");
  rest = texts.pop() ?? "";
  if (texts.length % 2 === 1) rest = `${texts.pop()}\0${rest}`;
  for (let at = 0; at < texts.length; at += 2) {
    process.stdout.write(`${answer(texts[at], texts[at + 1]).replaceAll("\n", " ")}\n`);
  }
});
