// Why events happened when they did: what the graph in the page says about the path, and about each event.
import type { Columns } from "./columns";
import type { ReportData } from "./report_data";

/** Pieces of a longest path in order of time. Times in ps of the page. */
export interface PathPieces {
  begin: Float64Array;
  end: Float64Array;
  kind: Uint8Array; // index into ReportData.kinds
  event: Int32Array; // event id; -1: time that belongs to no event
  lane: Int32Array; // index into ReportData.lanes; -1: none
}

export interface WaitedFor {
  event: number; // event id; -1: none
  kind: number; // index into ReportData.kinds
  text: string; // "launch delay · cudaLaunchKernel"
  ps: number;
  binding: boolean; // this one was waited for
}

export interface EventCauses {
  own_ps: number; // its own pieces of time, without those of events inside it
  on_path_ps: number;
  slack_ps: number | null; // null: nothing that leads to the end of the step
  derivative: number; // on_path_ps / own_ps
  waited_for: WaitedFor[]; // the binding one first
}

export class Causes {
  readonly critical: Uint8Array; // by event id
  readonly measured: PathPieces;
  readonly length_ps: number;

  /** Null if the graph is not in the page. */
  static make(_columns: Columns, _data: ReportData): Causes | null {
    return null;
  }

  private constructor(events: number) {
    this.critical = new Uint8Array(events);
    this.length_ps = 0;
    this.measured = { begin: new Float64Array(0), end: new Float64Array(0), kind: new Uint8Array(0), event: new Int32Array(0), lane: new Int32Array(0) };
  }

  /** Null: no piece of the graph belongs to it. */
  event(_id: number): EventCauses | null {
    return null;
  }
}
