// Marks of the ruler: round times from the step's begin, at least so many pixels apart.
import { tickFormat } from "./format";

const APART = 96;

export interface Tick {
  x: number;
  label: string;
}

export function ticks(view: { begin: number; end: number; span: number }, zero: number, width: number): Tick[] {
  const least = (view.span / Math.max(1, width)) * APART;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map(k => k * power).find(s => s >= least * 0.999) ?? 10 * power;
  const far = Math.max(Math.abs(view.begin - zero), Math.abs(view.end - zero));
  const label = tickFormat(step, far);
  const out: Tick[] = [];
  for (let k = Math.ceil((view.begin - zero) / step); k * step <= view.end - zero; k++) {
    out.push({ x: ((k * step + zero - view.begin) / view.span) * width, label: label(k * step) });
  }
  return out;
}
