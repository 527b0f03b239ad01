// `git-reconcile` on a small task, through Node: what a skill waits for before a run is prepared.

import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BenchError, git, scratch } from "./environment.mjs";
import { alternate } from "./measure.mjs";
import { atMost, milliseconds, row } from "./report.mjs";

const STARTS = 10;
const LIMIT = 15;
const STAGES = [1, 2, 3];

/** `bin/okstra` with the addon of the release build, in a folder of its own: the one in npm/ may be another build. */
function packed({ root, target }) {
  const addon = ["libokstra_node.so", "libokstra_node.dylib", "okstra_node.dll"].map((name) => join(target, "release", name)).find((file) => existsSync(file));
  if (addon === undefined) throw new BenchError("the addon was not built", { code: "no-addon" });
  const folder = scratch("okstra-bench-package-");
  for (const name of ["bin", "npm", "package.json"]) cpSync(join(root, name), join(folder, name), { recursive: true, filter: (file) => !file.endsWith(".node") });
  const libc = process.report.getReport().header.glibcVersionRuntime === undefined ? "musl" : "gnu";
  const platform = { linux: `linux-${process.arch}-${libc}`, win32: `win32-${process.arch}-msvc` }[process.platform] ?? `${process.platform}-${process.arch}`;
  cpSync(addon, join(folder, "npm", `okstra.${platform}.node`));
  return join(folder, "bin", "okstra");
}

/** A project with one task of three recorded stages: the first was rebased, so that something has to be proved. */
async function makeTask() {
  const folder = scratch("okstra-bench-task-");
  const [shop, home, records] = ["shop", "home", "records"].map((name) => join(folder, name));
  for (const path of [shop, join(home, "worktrees"), records]) mkdirSync(path, { recursive: true });
  const lines = (changed) => Array.from({ length: 40 }, (_, at) => (at === changed ? "changed" : `line ${at}`)).join("\n") + "\n";
  const save = async (file, changed, message) => {
    writeFileSync(join(shop, file), lines(changed));
    await git(shop, ["add", "--all"]);
    await git(shop, ["commit", "--quiet", "--message", message]);
    return (await git(shop, ["rev-parse", "HEAD"])).trim();
  };
  await git(shop, ["init", "--quiet", "--initial-branch=main"]);
  await git(shop, ["config", "user.name", "Bench"]);
  await git(shop, ["config", "user.email", "bench@example.com"]);
  for (const stage of STAGES) await save(`file-${stage}.txt`, null, `add ${stage}`);
  const anchor = (await git(shop, ["rev-parse", "HEAD"])).trim();
  await git(shop, ["branch", "fix-login"]);
  const rows = [];
  for (const stage of STAGES) {
    await git(shop, ["checkout", "--quiet", "-b", `fix-login-s${stage}`, anchor]);
    const head = await save(`file-${stage}.txt`, stage, `stage ${stage}`);
    rows.push({ impl_task_key: "shop/auth/login", stage, status: "done", head_commit: head, base_commit: anchor });
  }
  await git(shop, ["checkout", "--quiet", "main"]);
  await save("file-1.txt", 30, "main goes on");
  await git(shop, ["rebase", "--quiet", "main", "fix-login-s1"]);
  writeFileSync(join(records, "consumers.jsonl"), rows.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
  const entry = { branch: "fix-login", base_ref: "refs/heads/main", implementation_base_commit: anchor, stages: {} };
  writeFileSync(join(home, "worktrees", "registry.json"), JSON.stringify({ schemaVersion: "1.0", tasks: { "shop/auth/login": entry } }));
  return { shop, home, records };
}

export async function measureReconcile(context) {
  const { okstra, runs } = context;
  const line = (own, start) =>
    row("bin/okstra git-reconcile, minus node -e 0", {
      okstra: milliseconds(own),
      peer: milliseconds(start),
      value: own === null ? null : own - start,
      target: atMost(LIMIT, "ms"),
    });
  if (okstra === null) return { rows: [line(null, null)], notes: [] };
  const { shop, home, records } = await makeTask();
  const task = ["--plan-run-root", records, "--project-id", "shop", "--task-group", "auth", "--task-id", "login", "--work-category", "fix"];
  const argv = [process.execPath, packed(context), "git-reconcile", "--json", ...task];
  const node = { name: "node -e 0", argv: [process.execPath, "-e", "0"], repeat: STARTS };
  const ours = { name: "git-reconcile", argv, cwd: shop, env: { OKSTRA_HOME: home }, repeat: STARTS };
  const times = await alternate([node, ours], runs);
  const notes = [`a task of ${STAGES.length} stages, one of them rebased; whole processes, each run the mean of ${STARTS} starts`];
  return { rows: [line(times["git-reconcile"].median, times["node -e 0"].median)], notes };
}
