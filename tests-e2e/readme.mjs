/**
 * The examples of a text: `node readme.mjs FILE KIND [HEADING [N]]` prints the code blocks of that kind (`sh`, `js`, …)
 * below that heading, the N-th of them alone. Of `sh` each line is a command, ended by a NUL, without its comment; other
 * kinds are printed as they stand. Without a heading: the headings that have such blocks, and how many, one a line.
 */
import { readFileSync } from "node:fs";

const [file, kind, heading, number] = process.argv.slice(2);

/** @type {{ heading: string, text: string }[]} */
const blocks = [];
let current = "";
let fence = "";
for (const line of readFileSync(file, "utf8").split("\n")) {
  const block = blocks.at(-1);
  if (fence === "" && line.startsWith("## ")) current = line.slice(3);
  else if (fence === "" && line.startsWith("```")) {
    fence = line.slice(3) || "none";
    if (fence === kind) blocks.push({ heading: current, text: "" });
  } else if (line === "```") fence = "";
  else if (fence === kind && block !== undefined) block.text += `${line}\n`;
}

if (heading === undefined) {
  const headings = [...new Set(blocks.map((block) => block.heading))];
  for (const name of headings) console.log(`${name}\t${blocks.filter((block) => block.heading === name).length}`);
} else {
  const below = blocks.filter((block) => block.heading === heading);
  const wanted = number === undefined ? below : below.slice(Number(number) - 1, Number(number));
  if (wanted.length === 0) throw new Error(`${file} has no such ${kind} block below "${heading}"`);
  const text = wanted.map((block) => block.text).join("");
  if (kind !== "sh") process.stdout.write(text);
  else for (const line of text.split("\n").filter(Boolean)) process.stdout.write(`${line.replace(/\s+# .*$/, "")}\0`);
}
