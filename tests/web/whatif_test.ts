// The page's graph, sweep and edit language against the engine's, on cases that tests/page/cases/whatif_cases.cc wrote: node FILE.
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { ColumnEntry } from "../../web/columns";
import { decodeColumns } from "../../web/columns";
import { EditError } from "../../web/edits/edit_error";
import { parseEdit } from "../../web/edits/parser";
import { RegexError, translateRe2 } from "../../web/edits/re2_subset";
import { EditSolver } from "../../web/edits/solver";
import { shellQuoted, splitEdits } from "../../web/edits/split";
import { decodeGraph } from "../../web/graph";
import type { ReportData } from "../../web/report_data";
import { edgeSlacks, longestPath } from "../../web/sweep";

interface ErrorCase { error?: string; position?: number; hint?: string; edit?: string }
interface Question extends ErrorCase {
  edits: string[]; before_ps: number; after_ps: number; stopped_ps: number; matched: number[]; kinds: number[]; not_there?: string[][];
}
interface GraphCase {
  name: string; table: ColumnEntry[]; base64: string; weight_unit_ps: number; nodes: number; edges: number; end: number;
  length_ps: number; path: number[]; slacks: (number | null)[]; questions: Question[];
}
interface ParsingCase {
  parsing: (ErrorCase & { text: string })[]; expressions: { expression: string; error?: string; matches?: number[] }[]; names: string[];
}

const KINDS = ["cpu_operator", "cpu_python", "cpu_runtime", "cpu_untraced", "data_loading", "kernel", "communication", "memory_copy", "memory_set", "launch_delay",
  "kernel_gap", "stream_wait", "sync_return", "handoff", "idle_thread", "idle_device", "order", "before", "arrival", "several", "annotation"];
let checks = 0;
let refused = 0;
const failures: string[] = [];

function same(what: string, got: unknown, want: unknown): void {
  checks++;
  if (JSON.stringify(got) !== JSON.stringify(want)) failures.push(`${what}\n  page   ${JSON.stringify(got)}\n  engine ${JSON.stringify(want)}`);
}

/** The engine counts bytes, the page characters. */
function bytesBefore(text: string, position: number): number {
  return Buffer.byteLength(text.slice(0, position));
}

/** What the page only knows in part is said to be so, and is no difference. */
function isBeyondPage(error: unknown): boolean {
  const beyond = error instanceof RegexError ? error.beyondPage : error instanceof EditError && /the page does not know|a page can compute/.test(error.message);
  if (beyond) refused++;
  return beyond;
}

function compareError(what: string, error: unknown, want: ErrorCase): void {
  if (isBeyondPage(error)) return;
  if (!(error instanceof EditError)) throw error;
  same(what, [error.message, bytesBefore(error.edit, error.position), error.hint, error.edit], [want.error, want.position, want.hint, want.edit]);
}

function compareQuestion(name: string, solver: EditSolver, question: Question): void {
  const what = `${name}: ${JSON.stringify(question.edits)}`;
  try {
    const solved = solver.solve(question.edits);
    const got = { after: solved.length_ps, matched: solved.matched, stopped: solved.stopped_ps, kinds: [...solved.kinds_ps].slice(0, question.kinds?.length) };
    same(what, got, { after: question.after_ps, matched: question.matched, stopped: question.stopped_ps, kinds: question.kinds });
    if (question.not_there) same(what + ", not there", solved.notThere, question.not_there);
  } catch (error) {
    compareError(what, error, question);
  }
}

async function compareGraph(test: GraphCase): Promise<void> {
  const data = { weight_unit_ps: test.weight_unit_ps, graph: { nodes: test.nodes, edges: test.edges, begin: 0, end: test.end }, kinds: KINDS.map((id) => ({ id })) };
  const graph = decodeGraph(await decodeColumns(test.base64, test.table), data as unknown as ReportData);
  if (!graph) throw new Error(`${test.name} has no graph`);
  const solver = new EditSolver(graph);
  same(`${test.name}: length`, solver.finish[graph.end], test.length_ps);
  same(`${test.name}: path`, [...longestPath(graph, graph.weights, solver.finish)], test.path);
  same(`${test.name}: slacks`, [...edgeSlacks(graph, graph.weights, solver.finish)].map((slack) => (slack === Infinity ? null : slack)), test.slacks);
  for (const question of test.questions) compareQuestion(test.name, solver, question);
  if (!test.name.startsWith("random")) console.log(`${test.name}: ${test.edges} edges, ${(test.base64.length / test.edges).toFixed(2)} B per edge`);
}

function compareParsing(test: ParsingCase): void {
  for (const one of test.parsing) {
    try {
      parseEdit(one.text);
      same(`parsing ${one.text}`, "understood", one.error ?? "understood");
    } catch (error) {
      compareError(`parsing ${one.text}`, error, one);
    }
  }
  for (const one of test.expressions) {
    try {
      const expression = new RegExp(translateRe2(one.expression), "u");
      same(`/${one.expression}/`, test.names.map((name) => (expression.test(name) ? 1 : 0)), one.matches ?? one.error);
    } catch (error) {
      if (!isBeyondPage(error)) same(`/${one.expression}/`, (error as Error).message, one.error);
    }
  }
}

function checkLines(): void {
  const split = (line: string) => splitEdits(line).map((part) => [part.text, part.start]);
  same("splits", split("op * 2; gap = 0 ;; "), [["op * 2", 0], ["gap = 0", 8]]);
  same("quotes hold semicolons", split('op:"a;b" * 2;op:/x;\\/;y/ * 3; cpu in "p;q" remove'), [['op:"a;b" * 2', 0], ["op:/x;\\/;y/ * 3", 13], ['cpu in "p;q" remove', 30]]);
  same("a slash in a glob opens nothing", split("op:a/b * 2; op:c/d * 3"), [["op:a/b * 2", 0], ["op:c/d * 3", 12]]);
  same("a quote that never closes", split('op:"a; b'), [['op:"a; b', 0]]);
  same("for a shell", ["data/a.json", "a b", "it's", "", "op * 2", "$x"].map(shellQuoted), ["data/a.json", "'a b'", "'it'\\''s'", "''", "'op * 2'", "'$x'"]);
}

async function main(): Promise<void> {
  checkLines();
  for await (const line of createInterface({ input: createReadStream(process.argv[2]!) })) {
    const test = JSON.parse(line) as GraphCase & ParsingCase;
    if (test.parsing) compareParsing(test);
    else await compareGraph(test);
  }
  for (const failure of failures.slice(0, 20)) console.error("differs: " + failure);
  console.log(`${checks} comparisons, ${failures.length} differ; ${refused} refused as beyond the page`);
  process.exitCode = failures.length === 0 && checks > 0 ? 0 : 1;
}

void main();
