// A pyramid over the events of one row, which do not overlap: four buckets of a level make one of the next. To draw a row, descend only where a
// bucket is wider than a pixel: what a frame costs depends on pixels, not on events.

const FAN = 4;
/** So few buckets are looked at one by one. */
const TOP = 8;

/** What rows are made of. `order` says which leaf is at a place of the row; null: the leaf itself. */
export interface Leaves {
  readonly start: Float64Array; // ps
  readonly dur: Uint32Array | Float64Array; // in `unit`
  readonly unit: number;
  readonly tone: Uint8Array;
}

/** Buckets of many rows, one after the other: rows are counted in thousands, and an array has a price of its own. */
export class Buckets {
  readonly begin: Float64Array;
  readonly end: Float64Array;
  readonly busy: Float32Array; // ps in which a member runs
  readonly most: Uint32Array; // place in the row of the longest member of the most busy bucket inside: it gives the colour
  used = 0;

  constructor(size: number) {
    this.begin = new Float64Array(size);
    this.end = new Float64Array(size);
    this.busy = new Float32Array(size);
    this.most = new Uint32Array(size);
  }

  static sizeFor(count: number): number {
    let size = 0;
    while (count > TOP) {
      count = Math.ceil(count / FAN);
      size += count;
    }
    return size;
  }
}

/** Called from left to right; x in pixels from the left edge of the view, not cut to it. */
export interface RowVisitor {
  /** An event at least a pixel wide. */
  wide(x0: number, x1: number, leaf: number): void;
  /** What is narrower than a pixel: `cover` of it is busy. */
  dot(x: number, cover: number, leaf: number): void;
}

export class Row {
  private readonly levels: { first: number; size: number }[] = [];

  /** The row's members are leaves order[first], ..., order[first + count - 1], in order of time. */
  constructor(
    readonly leaves: Leaves, readonly order: Uint32Array | null, readonly first: number, readonly count: number, private readonly buckets: Buckets,
  ) {
    let below = count;
    while (below > TOP) {
      const size = Math.ceil(below / FAN);
      this.build(below, size);
      below = size;
    }
  }

  leaf(place: number): number {
    return this.order ? this.order[this.first + place] : this.first + place;
  }

  begin(place: number): number {
    return this.leaves.start[this.leaf(place)];
  }

  end(place: number): number {
    const leaf = this.leaf(place);
    return this.leaves.start[leaf] + this.leaves.dur[leaf] * this.leaves.unit;
  }

  /** How many members begin at or before `time`. */
  startedBy(time: number): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.begin(middle) <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  visit(viewBegin: number, viewEnd: number, pixelsPerPs: number, visitor: RowVisitor): void {
    const top = this.levels.length;
    const size = top === 0 ? this.count : this.levels[top - 1].size;
    for (let i = 0; i < size; i++) this.descend(top, i, viewBegin, viewEnd, pixelsPerPs, visitor);
  }

  private descend(level: number, i: number, viewBegin: number, viewEnd: number, pixelsPerPs: number, visitor: RowVisitor): void {
    if (level === 0) {
      this.visitLeaf(this.leaf(i), viewBegin, viewEnd, pixelsPerPs, visitor);
      return;
    }
    const { buckets } = this;
    const at = this.levels[level - 1].first + i;
    const begin = buckets.begin[at];
    const end = buckets.end[at];
    if (end < viewBegin || begin >= viewEnd) return;
    if ((end - begin) * pixelsPerPs <= 1) {
      visitor.dot(((begin + end) / 2 - viewBegin) * pixelsPerPs, buckets.busy[at] * pixelsPerPs, this.leaf(buckets.most[at]));
      return;
    }
    const below = level === 1 ? this.count : this.levels[level - 2].size;
    const last = Math.min(below, i * FAN + FAN);
    for (let k = i * FAN; k < last; k++) this.descend(level - 1, k, viewBegin, viewEnd, pixelsPerPs, visitor);
  }

  private visitLeaf(leaf: number, viewBegin: number, viewEnd: number, pixelsPerPs: number, visitor: RowVisitor): void {
    const begin = this.leaves.start[leaf];
    const length = this.leaves.dur[leaf] * this.leaves.unit;
    if (begin + length < viewBegin || begin >= viewEnd) return;
    const x0 = (begin - viewBegin) * pixelsPerPs;
    const width = length * pixelsPerPs;
    if (width >= 1) visitor.wide(x0, x0 + width, leaf);
    else visitor.dot(x0 + width / 2, width, leaf);
  }

  private build(below: number, size: number): void {
    const { buckets } = this;
    const first = buckets.used;
    const under = this.levels.length === 0 ? -1 : this.levels[this.levels.length - 1].first;
    for (let i = 0; i < size; i++) {
      const from = i * FAN;
      const to = Math.min(below, from + FAN);
      if (under < 0) this.gatherLeaves(first + i, from, to);
      else this.gatherBuckets(first + i, under + from, under + to);
    }
    buckets.used += size;
    this.levels.push({ first, size });
  }

  private gatherLeaves(at: number, from: number, to: number): void {
    const { start, dur, unit } = this.leaves;
    let end = -Infinity;
    let busy = 0;
    let longest = from;
    let most = -1;
    for (let k = from; k < to; k++) {
      const leaf = this.leaf(k);
      const length = dur[leaf] * unit;
      if (start[leaf] + length > end) end = start[leaf] + length;
      busy += length;
      if (length > most) {
        most = length;
        longest = k;
      }
    }
    this.put(at, this.begin(from), end, busy, longest);
  }

  private gatherBuckets(at: number, from: number, to: number): void {
    const { buckets } = this;
    let end = -Infinity;
    let busy = 0;
    let busiest = from;
    for (let k = from; k < to; k++) {
      if (buckets.end[k] > end) end = buckets.end[k];
      busy += buckets.busy[k];
      if (buckets.busy[k] > buckets.busy[busiest]) busiest = k;
    }
    this.put(at, buckets.begin[from], end, busy, buckets.most[busiest]);
  }

  private put(at: number, begin: number, end: number, busy: number, most: number): void {
    const { buckets } = this;
    buckets.begin[at] = begin;
    buckets.end[at] = end;
    buckets.busy[at] = busy;
    buckets.most[at] = most;
  }
}

/** A row of pieces with their own times: the path, or the summary of a rank. */
export function rowOf(leaves: Leaves): Row {
  const count = leaves.start.length;
  return new Row(leaves, null, 0, count, new Buckets(Buckets.sizeFor(count)));
}
