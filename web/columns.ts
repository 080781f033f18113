// Columns out of the page: a blob is base64 of gzip of columns one after the other, and its table says where each lies and how it is encoded
// (docs/REPORT.md). Columns are decoded when they are asked for, straight into typed arrays, and are not kept: the caller owns what it gets.

/** One row of `data-table`. */
export interface ColumnEntry {
  name: string;
  codec: "planes" | "delta" | "u8" | "json";
  count: number;
  offset: number;
  bytes: number;
}

export interface Columns {
  has(name: string): boolean;
  count(name: string): number;
  /** Exact while values stay below 2^53. */
  number(name: string): Float64Array;
  /** For values that fit into 32 bits: indices, identities, short durations. Throws where one does not. */
  uint32(name: string): Uint32Array;
  int32(name: string): Int32Array;
  u8(name: string): Uint8Array;
  json<T>(name: string): T;
  /** How many bytes a value takes at most, so that a caller can choose its array. */
  planes(name: string): number;
}

const TWO_32 = 4294967296;

class InflatedColumns implements Columns {
  private readonly table = new Map<string, ColumnEntry>();

  constructor(private readonly bytes: Uint8Array, entries: ColumnEntry[]) {
    for (const entry of entries) {
      if (entry.offset + entry.bytes > bytes.length) throw new Error(`column ${entry.name} ends beyond its blob`);
      this.table.set(entry.name, entry);
    }
  }

  has(name: string): boolean {
    return this.table.has(name);
  }

  count(name: string): number {
    return this.table.get(name)?.count ?? 0;
  }

  planes(name: string): number {
    const entry = this.entry(name);
    return entry.count === 0 ? 0 : entry.bytes / entry.count;
  }

  number(name: string): Float64Array {
    const entry = this.entry(name);
    const out = new Float64Array(entry.count);
    if (entry.codec === "delta") decodeDelta(this.part(entry), out);
    else decodePlanes(this.part(entry), out);
    return out;
  }

  uint32(name: string): Uint32Array {
    const entry = this.entry(name);
    const out = new Uint32Array(entry.count);
    this.narrow(entry, out, 0, TWO_32 - 1);
    return out;
  }

  int32(name: string): Int32Array {
    const entry = this.entry(name);
    const out = new Int32Array(entry.count);
    this.narrow(entry, out, -TWO_32 / 2, TWO_32 / 2 - 1);
    return out;
  }

  u8(name: string): Uint8Array {
    const entry = this.entry(name);
    if (entry.bytes !== entry.count) throw new Error(`column ${name} does not have one byte per value`);
    return this.part(entry).slice();
  }

  json<T>(name: string): T {
    return JSON.parse(new TextDecoder().decode(this.part(this.entry(name)))) as T;
  }

  private entry(name: string): ColumnEntry {
    const entry = this.table.get(name);
    if (!entry) throw new Error(`the page has no column ${name}`);
    return entry;
  }

  private part(entry: ColumnEntry): Uint8Array {
    return this.bytes.subarray(entry.offset, entry.offset + entry.bytes);
  }

  private narrow(entry: ColumnEntry, out: Uint32Array | Int32Array, least: number, most: number): void {
    const range = entry.codec === "delta" ? decodeDelta(this.part(entry), out) : decodePlanes(this.part(entry), out);
    if (range.least < least || range.most > most) throw new Error(`column ${entry.name} does not fit into 32 bits`);
  }
}

type NumberArray = Float64Array | Uint32Array | Int32Array;
interface Range {
  least: number;
  most: number;
}

/** Byte planes, least significant first: all lowest bytes, then all second ones, ... At most seven, as doubles hold 53 bits. */
function decodePlanes(bytes: Uint8Array, out: NumberArray): Range {
  const n = out.length;
  const planes = n === 0 ? 0 : bytes.length / n;
  let most = 0;
  for (let i = 0; i < n; i++) {
    const value = planes <= 4 ? lowBytes(bytes, n, planes, i) >>> 0 : planeValue(bytes, n, planes, i);
    if (value > most) most = value;
    out[i] = value;
  }
  return { least: 0, most };
}

/** Differences, zigzag (0, -1, 1, -2, ... as 0, 1, 2, 3, ...), as byte planes. */
function decodeDelta(bytes: Uint8Array, out: NumberArray): Range {
  const n = out.length;
  const planes = n === 0 ? 0 : bytes.length / n;
  let at = 0;
  let least = 0;
  let most = 0;
  for (let i = 0; i < n; i++) {
    at += planes <= 4 ? zigzag32(lowBytes(bytes, n, planes, i)) : zigzag(planeValue(bytes, n, planes, i));
    if (at > most) most = at;
    if (at < least) least = at;
    out[i] = at;
  }
  return { least, most };
}

function zigzag32(code: number): number {
  return (code >>> 1) ^ -(code & 1);
}

/** Codes beyond 32 bits, which shifts would cut. Most values of such a column are small all the same. */
function zigzag(code: number): number {
  if (code < TWO_32) return zigzag32(code);
  return code % 2 === 1 ? -(code + 1) / 2 : code / 2;
}

/** Up to four planes, as 32 bits. */
function lowBytes(bytes: Uint8Array, n: number, planes: number, i: number): number {
  let value = 0;
  for (let at = i, shift = 0; shift < 8 * planes; at += n, shift += 8) value |= bytes[at] << shift;
  return value;
}

function planeValue(bytes: Uint8Array, n: number, planes: number, i: number): number {
  let value = lowBytes(bytes, n, 4, i) >>> 0;
  for (let k = 4, unit = TWO_32; k < planes; k++, unit *= 256) value += bytes[k * n + i] * unit;
  return value;
}

/** Whether this browser can inflate: a page opened in one that cannot still shows its text and tables. */
export function canInflate(): boolean {
  return typeof DecompressionStream !== "undefined";
}

export async function decodeColumns(base64: string, entries: ColumnEntry[]): Promise<Columns> {
  return new InflatedColumns(await inflate(bytesOf(base64)), entries);
}

/** The columns of one `<script data-columns=...>`. */
export async function decodeBlob(script: HTMLScriptElement): Promise<Columns> {
  const entries = JSON.parse(script.dataset.table ?? "[]") as ColumnEntry[];
  return decodeColumns(script.textContent ?? "", entries);
}

function bytesOf(base64: string): Uint8Array {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

async function inflate(gzipped: Uint8Array): Promise<Uint8Array> {
  const stream = new DecompressionStream("gzip");
  const writer = stream.writable.getWriter();
  // A failure is reported by the reading end; left unhandled here it would be reported twice.
  writer.write(gzipped).catch(() => undefined);
  writer.close().catch(() => undefined);
  return new Uint8Array(await new Response(stream.readable).arrayBuffer());
}
