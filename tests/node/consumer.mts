// What a TypeScript project writes with okstra; tests/node/types.test.mjs compiles it with `strict` and `isolatedModules`.
import { contentMerged, gitReconcile } from "okstra";
import type { ContentMerged, ContentMergedOptions, GitReconcileApplied, GitReconcileInspection, GitReconcileItem, OkstraError } from "okstra";

const options: ContentMergedOptions = { commit: "abcdef0", candidate: "main", signal: AbortSignal.timeout(1000) };
const answer: ContentMerged = await contentMerged(options);
const landed: string | null | undefined = answer.matchedCommit;

switch (answer.verdict) {
  case "contained":
  case "absent":
  case "ask":
    break;
  default:
    answer.verdict satisfies never;
}

// @ts-expect-error there is no such verdict
export const never: boolean = answer.verdict === "perhaps";

// @ts-expect-error the candidate is missing
await contentMerged({ commit: "abcdef0" });

// @ts-expect-error a commit is text
await contentMerged({ commit: 1, candidate: "main" });

// @ts-expect-error the cancel flag is the wrapper's affair
await contentMerged(options, { cancel() {} });

export function codeOf(error: OkstraError): string {
  return `${error.code} ${error.hint ?? ""} ${landed ?? ""}`;
}

/** What is left for a person, whether it was only looked or repaired. */
export async function left(apply: boolean): Promise<GitReconcileItem[]> {
  const found = await gitReconcile({ task: "auth/login", apply, signal: AbortSignal.timeout(1000) });
  if ("applied" in found) {
    found satisfies GitReconcileApplied;
    for (const repair of found.applied) console.log(repair.anchor ?? `${repair.stage}: ${repair.replaced} -> ${repair.new_commit}`);
    // @ts-expect-error what was repaired has no items
    found.items;
    return found.remaining_confirm;
  }
  found satisfies GitReconcileInspection;
  for (const { stage, ref, matched_commit: landed, verdict } of found.into ?? []) console.log(stage, ref, landed ?? verdict);
  return found.items.filter((item) => item.classification === "confirm");
}

export function isToCome(item: GitReconcileItem): boolean {
  switch (item.classification) {
    case "ok":
    case "auto":
    case "confirm":
    case "waiting":
      break;
    default:
      item.classification satisfies never;
  }
  const stage: number | null = item.stage;
  // @ts-expect-error there is no such cause
  if (item.cause === "late") return false;
  return item.kind === "gate" && item.predecessor !== undefined && item.cause === "not-done" && stage !== null;
}

// Everything can be left out.
await gitReconcile();

// @ts-expect-error a stage is a number
await gitReconcile({ task: "auth/login", stage: "1", useRef: "main", apply: true });

// @ts-expect-error options are in camel case
await gitReconcile({ plan_run_root: "." });
