// The events of all ranks in typed arrays. An event's id, within this script, is the number of events of the ranks before its own, plus its place in
// its rank, whose events are ordered by lane, start, longer first, ordinal. What people see is another number: event_numbers.ts.
import type { Columns } from "./columns";
import { Counter, countersOf } from "./counters";
import { EventNumbers, rowColumn } from "./event_numbers";
import type { Leaves } from "./pyramid";
import type { LaneEntry, NameEntry, ReportData } from "./report_data";

/** A tone is what decides an event's colour: its kind, and whether it is on the critical path. */
export const TONE_KINDS = 64;
export const CRITICAL = 64;

/** A lane with its number in ReportData.lanes and the place of its first event in its rank. */
export interface Lane extends LaneEntry {
  number: number;
  first: number;
}

export class RankEvents implements Leaves {
  readonly start: Float64Array; // ps
  readonly dur: Uint32Array | Float64Array; // in `unit`
  readonly unit: number;
  readonly name: Uint16Array | Uint32Array;
  readonly ordinal: Uint32Array;
  readonly row: Uint32Array | null; // among all events of the file; null: none was left out
  readonly tone: Uint8Array;
  readonly count: number;
  readonly counters: Counter[];

  constructor(readonly rank: number, readonly firstId: number, readonly lanes: Lane[], columns: Columns, data: ReportData, kindOfName: Uint8Array) {
    this.unit = data.unit_ps;
    this.start = columns.number("ev.start");
    this.count = this.start.length;
    for (let i = 0; i < this.count; i++) this.start[i] *= this.unit;
    this.dur = columns.planes("ev.dur") <= 4 ? columns.uint32("ev.dur") : columns.number("ev.dur");
    const names = columns.uint32("ev.name");
    this.name = kindOfName.length <= 65536 ? new Uint16Array(names) : names;
    this.ordinal = columns.uint32("ev.ordinal");
    this.row = rowColumn(columns);
    this.counters = countersOf(rank, columns, data);
    this.tone = new Uint8Array(this.count);
    for (let i = 0; i < this.count; i++) this.tone[i] = kindOfName[this.name[i]];
  }

  end(place: number): number {
    return this.start[place] + this.dur[place] * this.unit;
  }

  /** The lane of the event at this place. */
  laneOf(place: number): Lane {
    let low = 0;
    let high = this.lanes.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.lanes[middle].first <= place) low = middle;
      else high = middle - 1;
    }
    return this.lanes[low];
  }

  /** `critical` is indexed by event id. */
  markCritical(critical: Uint8Array): void {
    for (let i = 0; i < this.count; i++) if (critical[this.firstId + i]) this.tone[i] |= CRITICAL;
  }
}

/** An event, taken out of the columns. */
export interface EventFacts {
  id: number;
  number: number;
  name: string;
  kind: number;
  rank: number;
  ordinal: number;
  lane: Lane;
  start_ps: number;
  dur_ps: number;
  critical: boolean;
}

export class EventStore {
  readonly names: string[];
  readonly kindOfName: Uint8Array;
  /** By place in ReportData.ranks; null: not decoded yet. */
  readonly ranks: (RankEvents | null)[];
  readonly lanes: Lane[];
  /** Events in the page, decoded or not. */
  readonly count: number;
  readonly numbers: EventNumbers;
  private readonly firstIds: number[] = [];

  constructor(readonly data: ReportData, names: NameEntry[]) {
    this.names = names.map(n => n[0]);
    this.kindOfName = Uint8Array.from(names, n => Math.min(n[1], TONE_KINDS - 1));
    this.ranks = data.ranks.map(() => null);
    let id = 0;
    for (const rank of data.ranks) {
      this.firstIds.push(id);
      id += rank.events;
    }
    this.count = id;
    this.numbers = new EventNumbers(this);
    const filled = new Map<number, number>();
    this.lanes = data.lanes.map((lane, number) => {
      const first = filled.get(lane.rank) ?? 0;
      filled.set(lane.rank, first + lane.count);
      return { ...lane, number, first };
    });
  }

  add(place: number, columns: Columns): RankEvents {
    const { rank } = this.data.ranks[place];
    const lanes = this.lanes.filter(lane => lane.rank === rank);
    const events = new RankEvents(rank, this.firstIds[place], lanes, columns, this.data, this.kindOfName);
    this.ranks[place] = events;
    return events;
  }

  /** The decoded rank of an event; null: there is no such event, or its rank is not decoded. */
  rankOf(id: number): RankEvents | null {
    if (!(id >= 0 && id < this.count)) return null;
    let place = this.firstIds.length - 1;
    while (place > 0 && this.firstIds[place] > id) place--;
    return this.ranks[place];
  }

  facts(id: number): EventFacts | null {
    const rank = this.rankOf(id);
    if (!rank) return null;
    const i = id - rank.firstId;
    const name = rank.name[i];
    return {
      id, number: this.numbers.ofEvent(id), name: this.names[name], kind: this.kindOfName[name], rank: rank.rank, ordinal: rank.ordinal[i], lane: rank.laneOf(i),
      start_ps: rank.start[i], dur_ps: rank.dur[i] * rank.unit, critical: (rank.tone[i] & CRITICAL) !== 0,
    };
  }

  find(rank: number, ordinal: number): number {
    const events = this.ranks.find(r => r?.rank === rank);
    const place = events ? events.ordinal.indexOf(ordinal) : -1;
    return events && place >= 0 ? events.firstId + place : -1;
  }
}
