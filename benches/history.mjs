// A history as a `git fast-import` stream: ancestors, the fork point, the stages, and the candidate's commits with
// side branches, merges, renames, additions, deletions and the landings of the stages. Model first, bytes second.

import { Random, word } from "./random.mjs";
import { land, onBranch, planStage } from "./stage.mjs";
import { SIZES, Tree, content } from "./tree.mjs";

const AUTHORS = ["Ada", "Ben", "Cleo", "Dov", "Eda", "Finn", "Gil", "Hana", "Ivo", "Juno", "Kai", "Lena", "Milo", "Nia"];
const START = 1_500_000_000;
const CHUNK = 1 << 20;
const FILES_PER_COMMIT = [1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8];

/** Yields the stream in pieces. `progress(done, all)` hears of the candidate's commits. */
export function* stream(options, progress = () => {}) {
  yield* new History(options, progress).pieces();
}

class History {
  constructor({ seed, commits, size, stages }, progress) {
    this.random = new Random(seed);
    this.tree = new Tree(this.random, size);
    this.wanted = commits;
    this.landings = stages;
    this.ancestors = SIZES[size].ancestors;
    this.progress = progress;
    this.text = [];
    this.length = 0;
    this.marks = 0;
    this.clock = START;
    this.sequence = 0;
    this.tip = 0;
    this.sides = [];
    this.done = 0;
    this.due = [];
  }

  *pieces() {
    this.tip = this.commit("refs/heads/main", [], this.tree.slots.filter((file) => file !== null));
    while (this.done < this.ancestors) {
      this.step(Infinity);
      yield* this.flush(CHUNK);
    }
    this.write(`reset refs/heads/base\nfrom :${this.tip}\n\n`);
    this.startStages();
    // Side branches that are open here began before the fork; their commits are the candidate's once merged.
    this.done = this.sides.reduce((sum, side) => sum + side.made, 0);
    while (this.done < this.wanted) {
      this.step(this.wanted - this.done);
      if (this.done % 1000 === 0) this.progress(this.done, this.wanted);
      yield* this.flush(CHUNK);
    }
    this.write("done\n");
    yield* this.flush(1);
  }

  *flush(limit) {
    if (this.length < limit) return;
    yield Buffer.from(this.text.join(""), "latin1");
    this.text = [];
    this.length = 0;
  }

  write(text) {
    this.text.push(text);
    this.length += text.length;
  }

  startStages() {
    const { landings, wanted } = this;
    const stages = landings.map((landing, i) => planStage(this.tree, i + 1, landing));
    for (const stage of stages) {
      let tip = this.tip;
      for (const commit of stage.commits) tip = this.commit(`refs/heads/stage-${stage.number}`, [tip], onBranch(commit));
      if (stage.landing === "none") continue;
      // One lands in the middle, several spread evenly.
      const at = Math.floor((wanted * stage.number) / (landings.length + 1));
      const parts = stage.landing === "squash" ? [stage.commits] : stage.commits.map((commit) => [commit]);
      this.due.push({ at, parts });
    }
  }

  /** One commit (or a landing) of the candidate's side; `left` is how many there may still be. */
  step(left) {
    const { random, sides, due } = this;
    const owed = sides.reduce((sum, side) => sum + side.left + 1, 0) + due.reduce((sum, { parts }) => sum + parts.length, 0);
    const tight = left <= owed;
    if (due.length > 0 && (tight || this.done >= due[0].at)) this.landNext();
    else if (sides.length > 0 && (tight || random.chance(0.25 * sides.length))) this.advance(random.pick(sides));
    else if (sides.length < 3 && left > owed + 8 && random.chance(0.16)) this.openSide();
    else this.mainCommit();
  }

  landNext() {
    for (const part of this.due.shift().parts) this.onMain(land(part), []);
  }

  onMain(files, gone, merged = null) {
    this.sequence += 1;
    for (const file of files) file.changed = this.sequence;
    const parents = merged === null ? [this.tip] : [this.tip, merged.tip];
    this.tip = this.commit("refs/heads/main", parents, files, gone, merged !== null);
    this.done += 1;
  }

  mainCommit() {
    const { random, tree } = this;
    const free = (file) => file.owner === null;
    const files = this.editSome(free);
    const gone = [];
    const loose = (file) => free(file) && !file.taken && !files.includes(file);
    if (random.chance(0.025)) {
      const moved = tree.pick(loose);
      if (moved !== null) {
        gone.push(moved.path);
        tree.rename(moved);
        if (random.chance(0.4)) tree.edit(moved);
        files.push(moved);
      }
    }
    if (random.chance(0.02)) {
      const removed = tree.pick((file) => loose(file) && file.slot > 8);
      if (removed !== null) {
        gone.push(removed.path);
        tree.remove(removed);
      }
    }
    if (random.chance(0.03)) files.push(...[tree.add()].filter((file) => file !== null));
    this.onMain(files, gone);
  }

  editSome(allowed) {
    const { random, tree } = this;
    const files = [];
    const fresh = (file) => allowed(file) && !files.includes(file);
    for (let count = random.pick(FILES_PER_COMMIT); count > 0; count -= 1) {
      const file = files.length === 0 ? tree.pick(fresh) : tree.pickNear(files[0], fresh);
      if (file === null) break;
      tree.edit(file);
      files.push(file);
    }
    return files;
  }

  openSide() {
    const side = { ref: `refs/heads/side-${this.marks}`, tip: this.tip, from: this.sequence, left: this.random.between(1, 4), made: 0, files: new Set() };
    this.sides.push(side);
    this.advance(side);
  }

  /** The side branch's next commit, or its merge. It works on files that the main line left alone since it forked. */
  advance(side) {
    if (side.left === 0) {
      this.mergeSide(side);
      return;
    }
    const files = this.editSome((file) => file.owner === side || (file.owner === null && !file.taken && file.changed <= side.from));
    for (const file of files) {
      file.owner = side;
      side.files.add(file);
    }
    side.tip = this.commit(side.ref, [side.tip], files);
    side.left -= 1;
    side.made += 1;
    this.done += 1;
  }

  mergeSide(side) {
    this.sides.splice(this.sides.indexOf(side), 1);
    for (const file of side.files) file.owner = null;
    this.onMain([...side.files], [], side);
    this.write(`reset ${side.ref}\nfrom ${"0".repeat(40)}\n\n`);
  }

  /** Writes the blobs and the commit; its mark. A merge names blobs that are there already. */
  commit(ref, parents, files, gone = [], merge = false) {
    const { random } = this;
    if (!merge) for (const file of files) this.blob(file);
    this.clock += random.between(60, 4000);
    this.marks += 1;
    const mark = this.marks;
    const name = random.pick(AUTHORS);
    const who = `${name} <${name.toLowerCase()}@example.com> ${this.clock} +0000`;
    const text = merge ? `Merge branch ${word(random)}\n` : this.message();
    const [first, ...others] = parents;
    this.write(
      `commit ${ref}\nmark :${mark}\nauthor ${who}\ncommitter ${who}\ndata ${text.length}\n${text}` +
        (first === undefined ? "" : `from :${first}\n`) +
        others.map((other) => `merge :${other}\n`).join("") +
        gone.map((path) => `D ${path}\n`).join("") +
        files.map((file) => `M ${file.mode} :${file.mark} ${file.path}\n`).join("") +
        "\n",
    );
    return mark;
  }

  blob(file) {
    this.marks += 1;
    file.mark = this.marks;
    const text = content(file);
    this.write(`blob\nmark :${file.mark}\ndata ${text.length}\n${text}\n`);
  }

  message() {
    const { random } = this;
    const sentence = (words) => Array.from({ length: words }, () => word(random)).join(" ");
    const body = random.chance(0.5) ? `\n${sentence(12)}\n${sentence(random.between(3, 11))}\n` : "";
    return `${word(random)}: ${sentence(random.between(3, 7))}\n${body}`;
  }
}
