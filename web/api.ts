// window.orrery: what tests and the console can ask of the page. Ids are those of `orrery query`.
import type { SearchBox } from "./search_box";
import type { Timeline } from "./timeline";
import type { Answer } from "./whatif";

export interface PageApi {
  counts(): { events: number; ranks: number; lanes: number; names: number; edges: number };
  range(): { begin_ps: number; end_ps: number };
  view(): { begin_ps: number; end_ps: number };
  setView(begin_ps: number, end_ps: number): void;
  find(rank: number, ordinal: number): number;
  event(id: number): object | null;
  arguments(id: number): Promise<Record<string, string>>;
  locate(id: number): { x: number; y: number; width: number; height: number } | null;
  reveal(id: number): void;
  timeAt(clientX: number): number;
  select(id: number): void;
  search(text: string): number;
  whatif(edits: string[]): Answer;
  /** Of the ranks that are there; `y`: where the lane's bottom is on the screen, null: it is not shown. */
  counters(): { rank: number; device: number; name: string; unit: string; times_ps: number[]; values: number[]; y: number | null }[];
}

export function timelineApi(timeline: Timeline, search: SearchBox, edges: number, solve: (edits: string[]) => Answer): PageApi {
  const { store, scene } = timeline;
  const { numbers } = store;
  return {
    counts: () => ({ events: store.count, ranks: store.ranks.length, lanes: store.lanes.length, names: store.names.length, edges }),
    range: () => ({ ...store.data.range }),
    view: () => ({ begin_ps: scene.view.begin, end_ps: scene.view.end }),
    setView: (begin, end) => timeline.setView(begin, end),
    find: (rank, ordinal) => numbers.ofEvent(store.find(rank, ordinal)),
    event: id => {
      const facts = store.facts(numbers.event(id));
      return facts && { ...facts, id: facts.number, kind: store.data.kinds[facts.kind]?.id, lane: facts.lane.name };
    },
    arguments: async id => Object.fromEntries((await timeline.recorded.of(numbers.event(id))).shown.map(({ key, value }) => [key, value])),
    locate: id => timeline.locate(numbers.event(id)),
    reveal: id => timeline.reveal(numbers.event(id)),
    timeAt: clientX => timeline.timeAt(clientX),
    select: id => timeline.select(numbers.event(id)),
    search: text => search.set(text),
    whatif: solve,
    counters: () => store.ranks.flatMap(rank => rank?.counters ?? []).map(counter => ({
      rank: counter.entry.rank, device: counter.entry.device, name: counter.entry.name, unit: counter.entry.unit, times_ps: [...counter.times], values: [...counter.values],
      y: timeline.bottomOf(counter),
    })),
  };
}

/** Of a page without a timeline: there is nothing to ask, and each question is answered so. */
export function emptyApi(): PageApi {
  const nothing = { begin_ps: 0, end_ps: 0 };
  return {
    counts: () => ({ events: 0, ranks: 0, lanes: 0, names: 0, edges: 0 }),
    range: () => ({ ...nothing }), view: () => ({ ...nothing }), setView: () => undefined, find: () => -1, event: () => null, arguments: async () => ({}), locate: () => null,
    reveal: () => undefined, timeAt: () => 0, select: () => undefined, search: () => 0, counters: () => [],
    whatif: () => {
      throw new Error("this page has no graph");
    },
  };
}
