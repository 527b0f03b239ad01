// Seeded random numbers and text. The same seed gives the same bytes on every machine: only exact
// arithmetic and `Math.exp` are used, never `Math.random` or the clock.

const WORDS = (
  "value name file index count result state error parse token buffer length offset config option path entry node tree " +
  "line text key list item size start end next first last find build check read write open close lock flush append " +
  "request response header body client server session user account role group order price total report table column row " +
  "event handler queue worker task stage plan branch commit record ledger merge base tip proof cache store load save " +
  "return const let match else when while for each with from into over until after before other same empty missing known " +
  "stable local remote shared private public default optional strict lazy eager pending ready done failed retry limit " +
  "window frame image color shape point edge graph weight depth height width margin border layout render paint draw " +
  "signal timer clock second minute budget quota usage sample median spread series range bound floor ceiling round"
).split(" ");

/** A small generator of 32-bit numbers: a counter, scrambled. */
export class Random {
  #state;

  constructor(seed) {
    this.#state = seed | 0;
  }

  bits() {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  }

  /** At least 0, less than 1. */
  unit() {
    return this.bits() / 4294967296;
  }

  /** A whole number from `low` to `high`, both included. */
  between(low, high) {
    return low + Math.floor(this.unit() * (high - low + 1));
  }

  chance(probability) {
    return this.unit() < probability;
  }

  pick(list) {
    return list[Math.floor(this.unit() * list.length)];
  }

  /** Log-normal around `median`; the bell comes from a sum of twelve uniform numbers. */
  logNormal(median, spread, low, high) {
    let sum = -6;
    for (let i = 0; i < 12; i += 1) sum += this.unit();
    return Math.min(high, Math.max(low, Math.round(median * Math.exp(spread * sum))));
  }
}

/** A table that answers "which rank?", the low ranks far more often (weight 1 / rank, flattened at the top). */
export class Skew {
  #sums;

  constructor(count) {
    this.#sums = new Float64Array(count);
    let sum = 0;
    for (let rank = 0; rank < count; rank += 1) {
      sum += 1 / (rank + 4);
      this.#sums[rank] = sum;
    }
  }

  rank(random) {
    const sums = this.#sums;
    const wanted = random.unit() * sums[sums.length - 1];
    let low = 0;
    let high = sums.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle] > wanted) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** One word; the first of the list come more often, as in real text. */
export function word(random) {
  const at = random.unit();
  return WORDS[Math.floor(at * at * WORDS.length)];
}

/** One line of something that looks like a program. */
export function line(random) {
  const kind = random.unit();
  if (kind < 0.1) return "";
  const indent = "    ".repeat(random.between(0, 3));
  if (kind < 0.17) return `${indent}}`;
  let text = indent + word(random);
  for (let words = random.between(2, 8); words > 0; words -= 1) text += ` ${word(random)}`;
  if (kind < 0.3) return `${text}(${random.between(0, 9999)});`;
  return kind < 0.4 ? `${text} {` : `${text};`;
}

export function lines(random, count) {
  const list = [];
  for (let i = 0; i < count; i += 1) list.push(line(random));
  return list;
}

/** Bytes with everything in them, NUL as well, as a string of one character for each byte. */
export function bytes(random, count) {
  let text = "\x89BIN\0";
  while (text.length < count) {
    const four = random.bits();
    text += String.fromCharCode(four & 255, (four >>> 8) & 255, (four >>> 16) & 255, four >>> 24);
  }
  return text.slice(0, count);
}
