// Rows without overlap: an event stands below what encloses it, and events that overlap without nesting go to rows of their own.
import { Buckets, Leaves, Row } from "./pyramid";

/** Beyond so many, events share the last row: a lane of ten thousand events that all overlap is not readable in any case. */
export const MOST_ROWS = 256;

/** Writes the row of each of `members`, which are in order of start, the longer first, to rowOf[member]. Returns the number of rows. */
export function assignRows(leaves: Leaves, members: Uint32Array, rowOf: Uint8Array): number {
  const { start, dur, unit } = leaves;
  const ends: number[] = []; // when each row is free again
  for (let k = 0; k < members.length; k++) {
    const leaf = members[k];
    const begin = start[leaf];
    const end = begin + dur[leaf] * unit;
    let row = 0;
    // The lowest row that encloses it, then the first free one below.
    for (let r = ends.length - 1; r >= 0; r--) {
      if (ends[r] <= begin || ends[r] < end) continue;
      row = r + 1;
      break;
    }
    while (row < ends.length && ends[row] > begin) row++;
    if (row >= MOST_ROWS) row = MOST_ROWS - 1;
    ends[row] = row < ends.length ? Math.max(end, ends[row]) : end;
    rowOf[leaf] = row;
  }
  return ends.length;
}

/** The rows of one track; rowOf is filled for its members. */
export function makeRows(leaves: Leaves, members: Uint32Array, rowOf: Uint8Array): Row[] {
  const sizes = new Array<number>(assignRows(leaves, members, rowOf)).fill(0);
  for (const leaf of members) sizes[rowOf[leaf]]++;
  const first: number[] = [];
  let buckets = 0;
  let at = 0;
  for (const size of sizes) {
    first.push(at);
    at += size;
    buckets += Buckets.sizeFor(size);
  }
  const order = new Uint32Array(members.length);
  const fill = first.slice();
  for (const leaf of members) order[fill[rowOf[leaf]]++] = leaf;
  const arena = new Buckets(buckets);
  return sizes.map((size, r) => new Row(leaves, order, first[r], size, arena));
}
