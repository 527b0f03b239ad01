/**
 * `npm run demo [-- ARGUMENTS]`: builds what it needs in the fast-to-build profile, and runs `okstra demo` with the
 * same arguments and the same exit code.
 */
import { spawn } from "node:child_process";
import { buildAndPlace } from "./build.mjs";
import { inRoot, script } from "./lib/project.mjs";

await script(async () => {
  await buildAndPlace("dev");
  const args = [inRoot("bin", "okstra"), "demo", ...process.argv.slice(2)];
  const child = spawn(process.execPath, args, { stdio: "inherit" });
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
    process.on(signal, () => child.kill(signal)); // the child decides how it ends, and this script follows it
  }
  const [code, signal] = await new Promise((resolve, reject) => {
    child.once("error", reject).once("close", (...ending) => resolve(ending));
  });
  process.exitCode = code ?? (signal === "SIGINT" ? 130 : 1);
});
