// Counters of a rank: values over time, each of which holds until the next.
import type { Columns } from "./columns";
import { amount } from "./format";
import type { CounterEntry, ReportData } from "./report_data";

export class Counter {
  constructor(readonly entry: CounterEntry, readonly times: Float64Array, readonly values: Float64Array) {}

  /** "power [mW]" */
  get label(): string {
    return this.entry.unit === "" ? this.entry.name : `${this.entry.name} [${this.entry.unit}]`;
  }

  /** Place of the value that holds at a moment; -1: none yet. */
  placeAt(time: number): number {
    let low = 0;
    let high = this.times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle] <= time) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** "301 mW"; empty: there is no value yet. */
  textAt(time: number): string {
    const place = this.placeAt(time);
    return place < 0 ? "" : this.text(this.values[place]);
  }

  text(value: number): string {
    return this.entry.unit === "" ? amount(value) : `${amount(value)} ${this.entry.unit}`;
  }

  /** Of a value, from the bottom of the lane (0) to its top (1). The bottom is zero, or the least value if that is below. */
  heightOf(value: number): number {
    const bottom = Math.min(0, this.entry.least);
    const top = Math.max(0, this.entry.most);
    return top > bottom ? (value - bottom) / (top - bottom) : 0;
  }
}

export function countersOf(rank: number, columns: Columns, data: ReportData): Counter[] {
  const entries = data.counters.filter(entry => entry.rank === rank);
  if (entries.length === 0 || !columns.has("ct.time")) return [];
  const times = columns.number("ct.time").map(time => time * data.unit_ps);
  const values = Float64Array.from(columns.json<number[]>("ct.value"));
  let first = 0;
  return entries.map(entry => {
    const counter = new Counter(entry, times.subarray(first, first + entry.count), values.subarray(first, first + entry.count));
    first += entry.count;
    return counter;
  });
}
