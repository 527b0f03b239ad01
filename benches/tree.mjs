// The files of a generated history: which exist, how often each is touched, and what an edit does to it.
// Every file sits in a slot; the slot's number is its rank of popularity.

import { Skew, bytes, line, lines, word } from "./random.mjs";

/** What a size preset means. `slots` is the number of files at most; about 96% are filled. */
export const SIZES = {
  small: { slots: 312, tops: 8, folders: 30, rootFiles: 26, ancestors: 200 },
  medium: { slots: 3120, tops: 14, folders: 260, rootFiles: 32, ancestors: 400 },
};

const ENDINGS = ["rs", "rs", "ts", "ts", "js", "c", "h", "go", "md", "txt", "json", "toml", "sh"];
const LONGEST = 100_000;

export class Tree {
  constructor(random, size) {
    const preset = SIZES[size];
    this.random = random;
    this.skew = new Skew(preset.slots);
    this.slots = new Array(preset.slots).fill(null);
    this.empty = [];
    this.paths = new Set();
    this.folders = this.#makeFolders(preset);
    this.byFolder = new Map(["", ...this.folders].map((folder) => [folder, []]));
    this.#fill(preset);
  }

  #makeFolders({ tops, folders }) {
    const made = [];
    while (made.length < folders) {
      const parent = made.length < tops ? "" : `${this.random.pick(made)}/`;
      const folder = parent + word(this.random);
      if (!made.includes(folder) && folder.split("/").length <= 5) made.push(folder);
    }
    return made;
  }

  #fill({ slots, rootFiles }) {
    const order = Array.from({ length: slots }, (_, slot) => slot);
    for (let i = slots - 1; i > 0; i -= 1) {
      const other = this.random.between(0, i);
      [order[i], order[other]] = [order[other], order[i]];
    }
    const filled = Math.round(slots * 0.96);
    this.empty = order.slice(filled);
    order.slice(0, filled).forEach((slot, i) => this.#put(slot, i < rootFiles ? "" : this.#someFolder()));
  }

  /** Some folders hold many files, most a few. */
  #someFolder() {
    const at = this.random.unit();
    return this.folders[Math.floor(at * at * this.folders.length)];
  }

  freshPath(folder, ending) {
    for (let words = 1; ; words += 1) {
      const name = Array.from({ length: Math.min(words, 4) }, () => word(this.random)).join("-");
      const path = `${folder === "" ? "" : `${folder}/`}${name}.${ending}`;
      if (!this.paths.has(path)) return path;
    }
  }

  #put(slot, folder) {
    const { random } = this;
    const binary = slot > this.slots.length / 10 && random.chance(0.03);
    const size = random.logNormal(3400, 1, 300, LONGEST * 0.9);
    const file = {
      slot,
      folder,
      path: this.freshPath(folder, binary ? "bin" : random.pick(ENDINGS)),
      mode: random.chance(0.03) ? "100755" : "100644",
      lines: binary ? null : lines(random, Math.max(8, Math.round(size / 34))),
      bytes: binary ? bytes(random, Math.min(size, 20_000)) : "",
      usual: Math.max(8, Math.round(size / 34)), // lines; edits pull the file back to it
      zone: 0, // lines at the top that only stages edit
      taken: false, // by a stage: never renamed, deleted or touched on a side branch
      owner: null, // the side branch that is working on it
      changed: 0, // sequence number of its last change on the main line
      mark: 0, // of its newest blob in the import stream
    };
    this.slots[slot] = file;
    this.byFolder.get(folder).push(file);
    this.paths.add(file.path);
    return file;
  }

  /** A file by popularity for which `allowed` holds, or null when none turned up. */
  pick(allowed) {
    for (let attempt = 0; attempt < 40; attempt += 1) {
      const file = this.slots[this.skew.rank(this.random)];
      if (file !== null && allowed(file)) return file;
    }
    return null;
  }

  /** A file of the same folder, since changes keep together; otherwise any. */
  pickNear(file, allowed) {
    if (this.random.chance(0.6)) {
      const near = this.random.pick(this.byFolder.get(file.folder));
      if (allowed(near)) return near;
    }
    return this.pick(allowed);
  }

  add() {
    const slot = this.empty.pop();
    return slot === undefined ? null : this.#put(slot, this.#someFolder());
  }

  remove(file) {
    this.#leave(file);
    this.slots[file.slot] = null;
    this.empty.unshift(file.slot);
  }

  rename(file) {
    this.#leave(file);
    file.folder = this.random.chance(0.5) ? file.folder : this.#someFolder();
    file.path = this.freshPath(file.folder, file.path.slice(file.path.lastIndexOf(".") + 1));
    this.byFolder.get(file.folder).push(file);
    this.paths.add(file.path);
  }

  #leave(file) {
    const near = this.byFolder.get(file.folder);
    near.splice(near.indexOf(file), 1);
    this.paths.delete(file.path);
  }

  /** One to four small changes, none in the zone that belongs to a stage. */
  edit(file) {
    const { random } = this;
    if (file.lines === null) {
      const at = random.between(8, Math.max(8, file.bytes.length - 200));
      file.bytes = file.bytes.slice(0, at) + bytes(random, 180) + file.bytes.slice(at + 180);
      return;
    }
    const low = file.zone === 0 ? 0 : file.zone + 4;
    for (let hunks = random.pick([1, 1, 1, 2, 2, 3, 4]); hunks > 0; hunks -= 1) {
      const at = random.between(low, Math.max(low, file.lines.length - 1));
      const grow = file.lines.length < file.usual * 1.15;
      const scale = random.chance(0.2) ? 5 : 1; // now and then something large
      const gone = scale * random.between(grow ? 0 : 2, grow ? 3 : 9);
      file.lines.splice(at, gone, ...lines(random, scale * random.between(gone === 0 ? 1 : 0, grow ? 6 : 4)));
    }
    file.lines.push(...(file.lines.length <= low ? [line(random)] : []));
  }
}

export function content(file) {
  return file.lines === null ? file.bytes : `${file.lines.join("\n")}\n`;
}
