// What stands below one another in the timeline: lanes by rank, streams with little work together, bookkeeping last; ranks that are closed as two
// rows. A track's rows are made when it is first shown.
import type { Counter } from "./counters";
import type { EventStore, Lane, RankEvents } from "./events";
import type { Row } from "./pyramid";
import { makeRows } from "./rows";
import { summarise, Summary } from "./summary";

export const ROW_HEIGHT = 14;
const PAD = 4;
const SUMMARY_PAD = 3;
const LEAST_LANE = 22;
const HEAD_HEIGHT = 22;
const COUNTER_HEIGHT = 2 * ROW_HEIGHT + 2 * PAD;
/** Ranks beyond these start closed. */
const OPEN_AT_FIRST = 4;

export interface Track {
  label: string;
  /** Place in ReportData.ranks. */
  rankPlace: number;
  /** head: the line that opens and closes a rank; summary: host or device row of a closed rank; lane: one lane, or several with little work. */
  sort: "head" | "summary" | "lane";
  isDevice: boolean;
  y: number;
  height: number;
  /** Where the first row begins, from y. */
  top: number;
  rows: Row[];
  /** Drawn instead of rows. */
  counter?: Counter;
}

/** Where an event is drawn. */
export interface Spot {
  track: Track;
  row: number;
}

class RankTracks {
  isOpen: boolean;
  private readonly rowOf: Uint8Array;
  private lanes: Track[] | null = null;
  private readonly trackOfLane = new Map<number, Track>();
  private summary: Summary | null = null;
  private summaryTracks: Track[] = [];
  private readonly head: Track;

  constructor(
    readonly place: number, private readonly label: string, readonly events: RankEvents, private readonly annotation: number,
    private readonly alone: boolean,
  ) {
    this.isOpen = place < OPEN_AT_FIRST;
    this.rowOf = new Uint8Array(events.count);
    this.head = { label, rankPlace: place, sort: "head", isDevice: false, y: 0, height: HEAD_HEIGHT, top: 0, rows: [] };
  }

  tracks(): Track[] {
    if (this.alone) return this.laneTracks();
    return this.isOpen ? [this.head, ...this.laneTracks()] : this.closedTracks();
  }

  spot(lane: Lane, place: number): Spot | null {
    if (this.isOpen || this.alone) {
      this.laneTracks();
      const track = this.trackOfLane.get(lane.number);
      return track ? { track, row: this.rowOf[place] } : null;
    }
    const track = this.closedTracks().find(t => t.isDevice === (lane.sort === "stream"));
    return lane.sort === "other" || !track ? null : { track, row: 0 };
  }

  private laneTracks(): Track[] {
    if (this.lanes) return this.lanes;
    const { lanes } = this.events;
    const little = lanes.filter(lane => lane.sort === "stream" && lane.little);
    const shared = new Set(little.length > 1 ? little : []);
    this.lanes = [];
    // Lanes are threads, then streams by device, then bookkeeping: counters stand below what they were measured of.
    const counters = [...this.events.counters];
    const addCounters = (below: number): void => {
      while (counters.length > 0 && counters[0].entry.device < below) this.addCounter(counters.shift() as Counter);
    };
    for (const lane of lanes) {
      if (lane.sort !== "thread") addCounters(lane.sort === "stream" ? lane.device : Infinity);
      if (!shared.has(lane)) this.addLane([lane], lane.name);
      else if (lane === little[little.length - 1]) this.addLane(little, sharedLabel(little));
    }
    addCounters(Infinity);
    return this.lanes;
  }

  private addLane(lanes: Lane[], label: string): void {
    const rows = makeRows(this.events, this.members(lanes), this.rowOf);
    const height = Math.max(LEAST_LANE, rows.length * ROW_HEIGHT + 2 * PAD);
    const track: Track = { label, rankPlace: this.place, sort: "lane", isDevice: lanes[0].sort === "stream", y: 0, height, top: PAD, rows };
    for (const lane of lanes) this.trackOfLane.set(lane.number, track);
    this.lanes?.push(track);
  }

  private addCounter(counter: Counter): void {
    this.lanes?.push({
      label: counter.label, rankPlace: this.place, sort: "lane", isDevice: counter.entry.device >= 0, y: 0, height: COUNTER_HEIGHT, top: PAD, rows: [], counter,
    });
  }

  private members(lanes: Lane[]): Uint32Array {
    const out = new Uint32Array(lanes.reduce((sum, lane) => sum + lane.count, 0));
    let at = 0;
    for (const lane of lanes) for (let i = 0; i < lane.count; i++) out[at++] = lane.first + i;
    if (lanes.length === 1) return out;
    const { start, dur } = this.events;
    return out.sort((a, b) => start[a] - start[b] || dur[b] - dur[a] || a - b);
  }

  private closedTracks(): Track[] {
    if (this.summary) return this.summaryTracks;
    this.summary = summarise(this.events, this.annotation);
    const { host, device } = this.summary;
    // A simulated rank has no host, a rank without a device no device: a row that is always empty would say nothing.
    const rows = [{ row: host, isDevice: false }, { row: device, isDevice: true }].filter(r => r.row.count > 0);
    this.summaryTracks = rows.map(({ row, isDevice }, i) => ({
      label: i === 0 ? this.label : "", rankPlace: this.place, sort: "summary", isDevice, y: 0,
      height: ROW_HEIGHT + (i === 0 ? SUMMARY_PAD : 0) + (i === rows.length - 1 ? SUMMARY_PAD : 0), top: i === 0 ? SUMMARY_PAD : 0, rows: [row],
    }));
    if (rows.length === 0) this.summaryTracks = [{ ...this.head, sort: "summary" }];
    return this.summaryTracks;
  }
}

/** "streams 13, 17 and 4 more" */
function sharedLabel(lanes: Lane[]): string {
  const named = lanes.length <= 4 ? lanes : lanes.slice(0, 3);
  const more = lanes.length - named.length;
  return `streams ${named.map(lane => lane.stream).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

export class Tracks {
  /** From the top down; y of each is set. */
  shown: Track[] = [];
  height = 0;
  private readonly ranks: (RankTracks | null)[];

  constructor(private readonly store: EventStore, private readonly annotation: number) {
    this.ranks = store.data.ranks.map(() => null);
  }

  /** To be called when a rank's events are there. */
  add(place: number, events: RankEvents): void {
    this.ranks[place] = new RankTracks(place, this.store.data.ranks[place].label, events, this.annotation, this.ranks.length === 1);
  }

  layOut(): void {
    this.shown = [];
    let y = 0;
    for (const rank of this.ranks) {
      for (const track of rank?.tracks() ?? []) {
        track.y = y;
        y += track.height;
        this.shown.push(track);
      }
    }
    this.height = y;
  }

  isOpen(place: number): boolean {
    return this.ranks.length === 1 || (this.ranks[place]?.isOpen ?? false);
  }

  setOpen(place: number, isOpen: boolean): void {
    const rank = this.ranks[place];
    if (!rank || this.ranks.length === 1 || rank.isOpen === isOpen) return;
    rank.isOpen = isOpen;
    this.layOut();
  }

  spot(id: number): Spot | null {
    const events = this.store.rankOf(id);
    const rank = this.ranks.find(r => r?.events === events);
    if (!events || !rank) return null;
    const place = id - events.firstId;
    return rank.spot(events.laneOf(place), place);
  }

  /** Number of the track in `shown` that is at this height; -1: none. */
  indexAt(y: number): number {
    let low = 0;
    let high = this.shown.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.shown[middle].y <= y) low = middle;
      else high = middle - 1;
    }
    const track = this.shown[low];
    return track && y >= track.y && y < track.y + track.height ? low : -1;
  }
}

/** The id of an event that a row draws; -1: none. */
export function eventOf(row: Row, leaf: number): number {
  const leaves = row.leaves as { event?: Int32Array; firstId?: number };
  return leaves.event ? leaves.event[leaf] : (leaves.firstId ?? 0) + leaf;
}
