// What the engine tells the script besides columns: the JSON of `#report-data` (docs/REPORT.md). All times are page time: picoseconds since the
// earliest event of all ranks.

export interface ReportData {
  version: 1;
  /** Picoseconds per unit of ev.start and ev.dur. */
  unit_ps: number;
  /** Picoseconds per unit of gr.weight and gr.late. */
  weight_unit_ps: number;
  origin_ps: number;
  /** The window that was analysed. */
  step: { begin_ps: number; end_ps: number; length_ps: number; label: string };
  /** Of all events. */
  range: { begin_ps: number; end_ps: number };
  /** By kind number; colours are the CSS variables --k-ID. */
  kinds: Kind[];
  /** Ascending, in the order of the ranks' blobs. */
  ranks: RankEntry[];
  /** In drawing order; a rank's events are ordered by its lanes in this order, `count` events each. */
  lanes: LaneEntry[];
  /** By rank, device and name; a rank's points are ordered by its counters in this order, `count` points each. */
  counters: CounterEntry[];
  graph: null | { nodes: number; edges: number; begin: number; end: number; why?: string };
  command: { program: string; operands: string[]; flags: string[] };
  sliders: { edit: string; title: string }[];
}

export interface Kind {
  id: string;
  title: string;
  family: string;
}

export interface RankEntry {
  rank: number;
  label: string;
  events: number;
  left_out: number;
}

export interface LaneEntry {
  rank: number;
  name: string;
  /** "other": lanes of bookkeeping, drawn last. */
  sort: "thread" | "stream" | "other";
  device: number;
  stream: number;
  count: number;
  /** A stream with little work: it shares one row with the others of its rank. */
  little: boolean;
}

export interface CounterEntry {
  rank: number;
  /** -1: of none. */
  device: number;
  name: string;
  /** Empty: not said. */
  unit: string;
  count: number;
  /** Of its values. */
  least: number;
  most: number;
}

/** Text and kind number, by falling frequency. */
export type NameEntry = [text: string, kind: number];

export function readReportData(document: Document): ReportData {
  const script = document.getElementById("report-data");
  return JSON.parse(script?.textContent ?? "null") as ReportData;
}
