// The little of node that the tests use: Debian has no package with its types beside the compiler.
declare module "node:test" {
  export default function test(name: string, body: () => void | Promise<void>): void;
}
declare module "node:assert/strict" {
  interface Assert {
    (value: unknown, message?: string): asserts value;
    equal(actual: unknown, expected: unknown, message?: string): void;
    deepEqual(actual: unknown, expected: unknown, message?: string): void;
    throws(body: () => unknown, error?: RegExp): void;
    rejects(promise: Promise<unknown>, error?: RegExp): Promise<void>;
    ok(value: unknown, message?: string): asserts value;
  }
  const assert: Assert;
  export default assert;
}
declare module "node:zlib" {
  export function gzipSync(data: Uint8Array): Uint8Array;
}
declare module "node:fs" {
  export function createReadStream(path: string): unknown;
}
declare module "node:readline" {
  export function createInterface(options: { input: unknown }): AsyncIterable<string>;
}
declare const process: { argv: string[]; exitCode: number };
declare const Buffer: { from(data: Uint8Array): { toString(encoding: "base64"): string }; byteLength(text: string): number };
