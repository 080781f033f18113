// What the recorder wrote about events: grid, shapes, bytes, identities. An event has a set of arguments; what differs from event to event is in
// columns (docs/REPORT.md). Nothing is inflated before somebody asks about an event of the rank.
import { canInflate, Columns, decodeBlob } from "./columns";
import type { EventStore, RankEvents } from "./events";

export interface Argument {
  key: string;
  value: string;
}

/** What is said of an event, and the arguments that somebody who wants them all finds in the file only. */
export interface EventArguments {
  shown: Argument[];
  leftOut: string[];
}

type KeyEntry = [text: string, where: "set" | "number" | "text" | "left out"];
/** Key, text, key, text, ...; null: the value is in the column of the key. */
type SetEntry = (number | string | null)[];

/** What ranks have in common. */
interface Common {
  keys: KeyEntry[];
  sets: SetEntry[];
  setsOfName: number[][];
  texts: string[];
}

export class RankArguments {
  private readonly place: Uint32Array; // per event: of its set among those of its name
  private readonly values = new Map<number, Float64Array>(); // by key

  constructor(private readonly common: Common, private readonly events: RankEvents, columns: Columns) {
    this.place = columns.uint32("ar.set");
    common.keys.forEach((_, key) => {
      if (columns.has(`ar.${key}`)) this.values.set(key, columns.number(`ar.${key}`));
    });
  }

  of(event: number): Argument[] {
    const set = this.setOf(event);
    const places = this.placesInColumns(event, set);
    const shown: Argument[] = [];
    for (let i = 0; i < set.length; i += 2) {
      const key = set[i] as number;
      const text = set[i + 1] as string | null;
      shown.push({ key: this.common.keys[key][0], value: text ?? this.valueAt(key, places.get(key) ?? 0) });
    }
    return shown;
  }

  private setOf(event: number): SetEntry {
    const number = this.common.setsOfName[this.events.name[event]]?.[this.place[event]];
    return number === undefined ? [] : this.common.sets[number];
  }

  /** Columns hold a value for each event that has one: those before this one are counted, once per click instead of once per page. */
  private placesInColumns(event: number, set: SetEntry): Map<number, number> {
    const places = new Map<number, number>();
    for (let i = 0; i < set.length; i += 2) if (set[i + 1] === null) places.set(set[i] as number, 0);
    if (places.size === 0) return places;
    const uses = new Uint32Array(this.common.sets.length);
    for (let i = 0; i < event; i++) {
      const number = this.common.setsOfName[this.events.name[i]]?.[this.place[i]];
      if (number !== undefined) uses[number]++;
    }
    uses.forEach((count, number) => {
      if (count === 0) return;
      const before = this.common.sets[number];
      for (let i = 0; i < before.length; i += 2) {
        const place = before[i + 1] === null ? places.get(before[i] as number) : undefined;
        if (place !== undefined) places.set(before[i] as number, place + count);
      }
    });
    return places;
  }

  private valueAt(key: number, place: number): string {
    const value = this.values.get(key)?.[place] ?? 0;
    return this.common.keys[key][1] === "text" ? this.common.texts[value] : String(value);
  }
}

export class Arguments {
  private common: Promise<Common> | null = null;
  private readonly ranks = new Map<number, Promise<RankArguments>>();

  constructor(private readonly store: EventStore, private readonly page: ParentNode) {}

  async of(id: number): Promise<EventArguments> {
    const events = this.store.rankOf(id);
    const first = this.script(":not([data-rank])");
    if (!events || !first || !canInflate()) return { shown: [], leftOut: [] };
    this.common ??= decodeBlob(first).then(readCommon);
    const common = await this.common;
    let rank = this.ranks.get(events.rank);
    if (!rank) {
      rank = this.decode(common, events);
      this.ranks.set(events.rank, rank);
    }
    const shown = (await rank).of(id - events.firstId);
    return { shown, leftOut: common.keys.filter(key => key[1] === "left out").map(key => key[0]) };
  }

  private async decode(common: Common, events: RankEvents): Promise<RankArguments> {
    const script = this.script(`[data-rank="${events.rank}"]`);
    if (!script) throw new Error(`the page has no arguments of rank ${events.rank}`);
    return new RankArguments(common, events, await decodeBlob(script));
  }

  private script(which: string): HTMLScriptElement | null {
    return this.page.querySelector<HTMLScriptElement>(`script[data-columns=arguments]${which}`);
  }
}

export function readCommon(columns: Columns): Common {
  return {
    keys: columns.json("ar.keys"),
    sets: columns.json("ar.sets"),
    setsOfName: columns.json("ar.names"),
    texts: columns.json("ar.texts"),
  };
}
