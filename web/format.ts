// Numbers as people read them: three digits and a unit, a real minus sign; names as they may be shown.

const UNITS: [ps: number, name: string][] = [[1e12, "s"], [1e9, "ms"], [1e6, "µs"], [1e3, "ns"], [1, "ps"]];

/** 46_800_000_000 is "46.8 ms", 0 is "0"; what there is none of, as the slack of what nothing waits for, is "–". */
export function duration(ps: number | null): string {
  if (ps === null) return "–";
  if (ps === 0) return "0";
  const size = Math.abs(ps);
  // From 999.5 of a unit on, three digits say 1.00 of the next one.
  const [unit, name] = UNITS.find(([u]) => size >= 0.9995 * u) ?? UNITS[UNITS.length - 1];
  const value = size / unit;
  const decimals = unit === 1 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return `${ps < 0 ? "−" : ""}${value.toFixed(decimals)} ${name}`;
}

/** 1234567 is "1,234,567". */
export function count(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A measured value: whole numbers as they are, others with four digits. */
export function amount(value: number): string {
  const rounded = Number.isInteger(value) ? value : Number(value.toPrecision(4));
  const size = Math.abs(rounded);
  if (size >= 1e15 || (size > 0 && size < 1e-4)) return rounded.toExponential(3);
  const [whole, part] = String(size).split(".");
  return `${rounded < 0 ? "−" : ""}${count(Number(whole))}${part ? `.${part}` : ""}`;
}

/** Labels of a ruler whose marks are `step` apart and reach to `far`: all in one unit, with the decimals that tell neighbours apart. */
export function tickFormat(step: number, far: number): (ps: number) => string {
  const [unit, name] = UNITS.find(([u]) => far >= u) ?? UNITS[UNITS.length - 1];
  const decimals = Math.max(0, Math.ceil(Math.log10(unit / step) - 1e-9));
  return ps => (ps === 0 ? "0" : `${ps < 0 ? "−" : ""}${(Math.abs(ps) / unit).toFixed(decimals)} ${name}`);
}

const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** A name of a trace as it may be shown: what is not seen, or turns the direction of what follows, becomes its number; long ones are cut. */
export function shownName(name: string, most = 400): string {
  const cut = name.length > most ? name.slice(0, most) + "…" : name;
  return cut.replace(UNSEEN, c => `U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`);
}
