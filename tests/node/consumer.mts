// What a TypeScript project writes with okstra; tests/node/types.test.mjs compiles it with `strict` and `isolatedModules`.
import { contentMerged, type ContentMerged, type ContentMergedOptions, type OkstraError } from "okstra";

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
