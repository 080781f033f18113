// Columns as the engine writes them, for tests: docs/REPORT.md, codecs.
import { gzipSync } from "node:zlib";
import { ColumnEntry, Columns, decodeColumns } from "../../web/columns";

export interface PlainColumn {
  name: string;
  codec: "planes" | "delta" | "json";
  values: number[] | unknown;
}

function planes(values: bigint[]): number[] {
  const most = values.reduce((a, b) => (a > b ? a : b), 0n);
  let count = 1;
  while (most >> BigInt(8 * count)) count++;
  const out: number[] = [];
  for (let k = 0; k < count && values.length > 0; k++) for (const v of values) out.push(Number((v >> BigInt(8 * k)) & 255n));
  return out;
}

function zigzagDifferences(values: number[]): bigint[] {
  let before = 0n;
  return values.map(value => {
    const difference = BigInt(value) - before;
    before = BigInt(value);
    return difference < 0n ? -2n * difference - 1n : 2n * difference;
  });
}

function encode(column: PlainColumn): number[] {
  if (column.codec === "json") return [...new TextEncoder().encode(JSON.stringify(column.values))];
  const values = column.values as number[];
  return planes(column.codec === "delta" ? zigzagDifferences(values) : values.map(BigInt));
}

export async function makeColumns(columns: PlainColumn[]): Promise<Columns> {
  const bytes: number[] = [];
  const table: ColumnEntry[] = columns.map(column => {
    const part = encode(column);
    const offset = bytes.length;
    for (const byte of part) bytes.push(byte);
    return { name: column.name, codec: column.codec, count: column.codec === "json" ? 1 : (column.values as number[]).length, offset, bytes: part.length };
  });
  return decodeColumns(Buffer.from(gzipSync(Uint8Array.from(bytes))).toString("base64"), table);
}

/** Numbers that look random and are the same in every run (Marsaglia's xorshift). */
export function randomNumbers(seed: number): (below: number) => number {
  let state = seed | 1;
  return below => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}
