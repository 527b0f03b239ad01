// A stage: three commits on the fork point that edit the top lines of a handful of files and add a new one.
// The candidate never edits those lines, only others of the same files, so a stage lands without a conflict.

import { lines } from "./random.mjs";

const ZONE = 44;

/** Which files a stage takes: the share of the popularity ranks in which each is looked for. */
const PLACES = [
  [0, 0.03],
  [0.05, 0.2],
  [0.2, 0.5],
  [0.6, 1],
];

/** Which of the four files each commit edits; the first commit adds the new file as well. */
const COMMITS = [[0, 1], [1, 2], [3, 0]];

/** Decides the whole stage on the tree as it is at the fork point. Nothing of the tree changes but the claims. */
export function planStage(tree, number, landing) {
  const files = PLACES.map(([low, high]) => claim(tree, low, high));
  const added = { path: newPath(tree, files[1], number), mode: "100644", lines: lines(tree.random, 60), mark: 0 };
  const zones = files.map((file) => file.lines.slice(0, ZONE));
  const tails = files.map((file) => file.lines.slice(ZONE));
  const commits = COMMITS.map((chosen, i) => ({
    added: i === 0 ? added : null,
    edits: chosen.map((which) => {
      zones[which] = editZone(tree.random, zones[which]);
      return { file: files[which], zone: zones[which], tail: tails[which] };
    }),
  }));
  return { number, landing, files, commits };
}

function claim(tree, low, high) {
  const { slots, random } = tree;
  const first = Math.floor(low * slots.length);
  const count = Math.max(1, Math.floor(high * slots.length) - first);
  const start = random.between(0, count - 1);
  const fits = (file) => file !== null && file.lines !== null && !file.taken && file.owner === null && file.lines.length > ZONE + 16;
  for (let i = 0; i < slots.length; i += 1) {
    const slot = i < count ? first + ((start + i) % count) : (first + i) % slots.length;
    if (fits(slots[slot])) return take(slots[slot]);
  }
  throw new Error("too few files for so many stages: choose the size medium");
}

function take(file) {
  file.taken = true;
  file.zone = ZONE;
  return file;
}

function newPath(tree, beside, number) {
  const path = tree.freshPath(beside.folder, `stage${number}.txt`);
  tree.paths.add(path);
  return path;
}

/** Two changes in the zone, away from its last lines. */
function editZone(random, zone) {
  const next = zone.slice();
  next.splice(random.between(2, 14), random.between(1, 3), ...lines(random, random.between(1, 5)));
  next.splice(random.between(20, 32), random.between(0, 2), ...lines(random, random.between(1, 4)));
  return next;
}

/** The entries of one commit of the stage on its own branch: what the files hold there, the candidate apart. */
export function onBranch(commit) {
  const edited = commit.edits.map(({ file, zone, tail }) => ({ path: file.path, mode: file.mode, lines: [...zone, ...tail] }));
  return commit.added === null ? edited : [...edited, commit.added];
}

/** Brings some commits of the stage into the tree; the files that changed. */
export function land(commits) {
  const changed = new Set();
  for (const commit of commits) {
    for (const { file, zone } of commit.edits) {
      file.lines.splice(0, file.zone, ...zone);
      file.zone = zone.length;
      changed.add(file);
    }
    if (commit.added !== null) changed.add(commit.added);
  }
  return [...changed];
}
