// A rank in two rows: what runs on any of its host threads, and on any of its streams. Annotations hold other work and are no work themselves.
import { RankEvents, TONE_KINDS } from "./events";
import { Leaves, Row, rowOf } from "./pyramid";

/** Pieces of time with the event that each was taken from. */
export interface SummaryLeaves extends Leaves {
  readonly event: Int32Array; // id
}

interface Pieces {
  begin: number[];
  end: number[];
  place: number[];
}

/** The outermost work of a lane, without overlap. */
function outermost(events: RankEvents, first: number, count: number, annotation: number): Pieces {
  const pieces: Pieces = { begin: [], end: [], place: [] };
  let covered = -Infinity;
  for (let i = first; i < first + count; i++) {
    const end = events.end(i);
    if ((events.tone[i] % TONE_KINDS) === annotation || end <= covered) continue;
    push(pieces, Math.max(events.start[i], covered), end, i);
    covered = end;
  }
  return pieces;
}

function push(to: Pieces, begin: number, end: number, place: number): void {
  to.begin.push(begin);
  to.end.push(end);
  to.place.push(place);
}

/** Both lists in order of time; where they overlap, the one that began first. */
function merge(a: Pieces, b: Pieces): Pieces {
  if (a.begin.length === 0) return b;
  const out: Pieces = { begin: [], end: [], place: [] };
  let covered = -Infinity;
  for (let i = 0, j = 0; i < a.begin.length || j < b.begin.length;) {
    const left = j >= b.begin.length || (i < a.begin.length && a.begin[i] <= b.begin[j]);
    const from = left ? a : b;
    const k = left ? i++ : j++;
    if (from.end[k] <= covered) continue;
    push(out, Math.max(from.begin[k], covered), from.end[k], from.place[k]);
    covered = from.end[k];
  }
  return out;
}

export interface Summary {
  host: Row;
  device: Row;
}

export function summarise(events: RankEvents, annotation: number): Summary {
  const nothing: Pieces = { begin: [], end: [], place: [] };
  let host = nothing;
  let device = nothing;
  for (const lane of events.lanes) {
    if (lane.sort === "other") continue;
    const pieces = outermost(events, lane.first, lane.count, annotation);
    if (lane.sort === "thread") host = merge(host, pieces);
    else device = merge(device, pieces);
  }
  return { host: summaryRow(events, host), device: summaryRow(events, device) };
}

function summaryRow(events: RankEvents, pieces: Pieces): Row {
  const leaves: SummaryLeaves = {
    start: Float64Array.from(pieces.begin), dur: Float64Array.from(pieces.end, (end, k) => end - pieces.begin[k]), unit: 1,
    tone: Uint8Array.from(pieces.place, i => events.tone[i]), event: Int32Array.from(pieces.place, i => events.firstId + i),
  };
  return rowOf(leaves);
}
