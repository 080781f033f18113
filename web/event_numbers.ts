// The numbers by which people and programs know events: ids of `orrery query`, in the order of the files, lowest rank first. In the page events have
// places, by lane and time, as columns hold them; what comes in and goes out is translated here.
import type { Columns } from "./columns";
import type { EventStore, RankEvents } from "./events";

interface Rows {
  rowOfPlace: Uint32Array; // position among all events of the rank's file
  placeOfRow: Map<number, number> | Uint32Array;
}

export class EventNumbers {
  private readonly first: number[] = []; // number of the first event, by place in ReportData.ranks
  private readonly rows = new Map<RankEvents, Rows>(); // made for ranks that are asked for

  constructor(private readonly store: EventStore) {
    let first = 0;
    for (const rank of store.data.ranks) {
      this.first.push(first);
      first += rank.events + rank.left_out;
    }
    this.first.push(first);
  }

  /** The number of an event of the page; -1: there is no such event. */
  ofEvent(id: number): number {
    const rank = this.store.rankOf(id);
    return rank ? this.first[this.store.ranks.indexOf(rank)] + this.rowsOf(rank).rowOfPlace[id - rank.firstId] : -1;
  }

  /** The event of the page with a number; -1: it has none, or it is not decoded yet. */
  event(number: number): number {
    const place = this.store.ranks.findIndex((_, i) => number >= this.first[i] && number < this.first[i + 1]);
    const rank = place < 0 ? null : this.store.ranks[place];
    if (!rank) return -1;
    const { placeOfRow } = this.rowsOf(rank);
    const row = number - this.first[place];
    const found = placeOfRow instanceof Map ? placeOfRow.get(row) : placeOfRow[row];
    return found === undefined ? -1 : rank.firstId + found;
  }

  private rowsOf(rank: RankEvents): Rows {
    let rows = this.rows.get(rank);
    if (!rows) {
      rows = rank.row ? rowsOfColumn(rank.row) : rowsOfOrdinals(rank.ordinal);
      this.rows.set(rank, rows);
    }
    return rows;
  }
}

/** Where events were left out, a column says which rows are there. */
function rowsOfColumn(row: Uint32Array): Rows {
  const placeOfRow = new Map<number, number>();
  row.forEach((r, place) => placeOfRow.set(r, place));
  return { rowOfPlace: row, placeOfRow };
}

/** Ordinals are positions in the file's list, which has entries that are no events: rows count those that are. */
function rowsOfOrdinals(ordinal: Uint32Array): Rows {
  let most = -1;
  for (const o of ordinal) if (o > most) most = o;
  const placePlusOne = new Uint32Array(most + 1);
  ordinal.forEach((o, place) => (placePlusOne[o] = place + 1));
  const rowOfPlace = new Uint32Array(ordinal.length);
  const placeOfRow = new Uint32Array(ordinal.length);
  let row = 0;
  for (const place of placePlusOne) {
    if (place === 0) continue;
    rowOfPlace[place - 1] = row;
    placeOfRow[row++] = place - 1;
  }
  return { rowOfPlace, placeOfRow };
}

/** The column of rows, which only pages have that leave out events. */
export function rowColumn(columns: Columns): Uint32Array | null {
  return columns.has("ev.row") ? columns.uint32("ev.row") : null;
}
