// `okstra render-bundle` of an implementation run, as a whole process: what a lead waits for before it can begin.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { git, progress, scratch } from "./environment.mjs";
import { median, run } from "./measure.mjs";
import { atMost, milliseconds, row } from "./report.mjs";

const LIMIT = 20;
const STAGES = 20;
const STEPS = 4;
const TASK = ["--task", "auth/login"];

/** A plan of twenty stages, of which the budget takes two at once. */
function plan() {
  const numbers = Array.from({ length: STAGES }, (_, at) => at + 1);
  const rows = numbers.map((stage) => `| ${stage} | Part ${stage} | (none) | ${STEPS} | \`part-${stage}/\` |`);
  const steps = Array.from({ length: STEPS }, (_, at) => `${at + 1}. Do a part of it.`).join("\n");
  const sections = numbers.map(
    (stage) =>
      `## Stage ${stage}: Part ${stage}\n\n### Steps\n\n${steps}\n\n### Stage Validation\n\n- post: \`git status\`\n\n### Stage Exit Contract\n\n- It is there.\n\n### Rollback\n\nRevert.\n`,
  );
  return ["# A plan", "## Stage Map", `| stage | title | depends-on | step-count | files |\n| --- | --- | --- | --- | --- |\n${rows.join("\n")}`, ...sections].join("\n\n");
}

/** A project with an approved plan. */
async function makeTask(okstra) {
  const folder = scratch("okstra-bench-prepare-");
  const shop = join(folder, "shop");
  mkdirSync(shop);
  writeFileSync(join(shop, "README"), "A shop.\n");
  writeFileSync(join(folder, "plan.md"), plan());
  await git(shop, ["init", "--quiet", "--initial-branch=main"]);
  for (const [name, value] of [["user.name", "Bench"], ["user.email", "bench@example.com"]]) await git(shop, ["config", name, value]);
  await git(shop, ["add", "--all"]);
  await git(shop, ["commit", "--quiet", "--message", "A shop"]);
  const call = (...words) => ({ name: `okstra ${words[0]}`, argv: [okstra, ...words, "--json"], cwd: shop, env: { OKSTRA_HOME: join(folder, "home") } });
  await run(call("init", "--project-id", "shop", "--yes"));
  await run(call("plan", "approve", join(folder, "plan.md"), ...TASK, "--category", "fix", "--by", "Bench", "--yes"));
  writeFileSync(join(folder, "brief.md"), "# Log in with a code\n");
  const prepare = call("render-bundle", ...TASK, "--type", "implementation", "--workers", "claude,codex,gemini", "--brief", join(folder, "brief.md"));
  return { prepare, abandon: (name) => call("abandon", name, ...TASK, "--reason", "measured", "--yes") };
}

export async function measurePrepare({ okstra, runs }) {
  const line = (ms) => row("render-bundle of an implementation run, whole process", { okstra: milliseconds(ms), value: ms, target: atMost(LIMIT, "ms") });
  if (okstra === null) return { rows: [line(null)], notes: [] };
  const { prepare, abandon } = await makeTask(okstra);
  const samples = [];
  // The first one makes the worktrees, which is git's time; the others find them there.
  for (let round = 0; round <= runs; round += 1) {
    progress(`run ${round} of ${runs}: ${prepare.name}`);
    const { ms, output } = await run(prepare, { keepOutput: true });
    if (round > 0) samples.push(ms);
    await run(abandon(JSON.parse(output).run));
  }
  const notes = [`a plan of ${STAGES} stages, two of them in the run, 3 workers; the worktrees are there already; what is written is flushed to the disk`];
  return { rows: [line(median(samples))], notes };
}
