// Parsing of edits, with the engine's messages and positions (src/analyze/edit_parser.cc).
import type { Action, DelayEvent, Edit, EditRule, EditScope, FailureEvent, NumberRange } from "./edit";
import { EditError, USE_THE_COMMAND } from "./edit_error";
import { NamePattern } from "./name_pattern";
import { RegexError } from "./re2_subset";
import { MOST_WEIGHT_PS, roundAway } from "./rounding";
import { GAP_WORDS, WHAT } from "./words";

/** Throws an EditError. */
export function parseEdit(text: string): Edit {
  try {
    return new EditParser(text).parse();
  } catch (error) {
    if (error instanceof EditError) error.edit = text;
    throw error;
  }
}

const ACTIONS = "* factor, = duration, + duration, - duration, remove; of device work = roof, = achievable";
// Edits that hold work against a device need what operators were given, which only the recording has.
const NOT_ON_PAGE = "the page does not know what operators compute";
const PRICED_HINT = "the command answers it: orrery whatif TRACE 'kernel kind gemm = roof'";
const FAILURE_HINT = "fails at 2s restart 30s [from step:3]";
const NUMBERS_HINT = "like 0-3,7";
const MOST_INTEGER = 9223372036854775807n;
const UNITS: ReadonlyMap<string, number> = new Map([["ns", 1e3], ["us", 1e6], ["ms", 1e9], ["s", 1e12]]);

function fail(position: number, message: string, hint = ""): never {
  throw new EditError(message, position, hint);
}

class EditParser {
  private at = 0;
  private scope: EditScope = { ranks: null, steps: null, group: null };
  private readonly scopeAt = new Map<string, number>(); // where each was written

  constructor(private readonly text: string) {}

  parse(): Edit {
    this.scopes();
    const start = this.at;
    const edit = this.event(this.word());
    if (edit) return this.finished(edit);
    this.at = start;
    return this.finished(this.change());
  }

  /** What begins with a word of its own; null: a change. */
  private event(first: string): Edit | null {
    switch (first) {
      case "delay": return this.delay();
      case "fails": return this.failure();
      case "profiler": return this.profiler();
      case "network":
      case "link": return this.network(first === "link");
      default: return null;
    }
  }

  private finished(edit: Edit): Edit {
    this.skipBlanks();
    if (this.at !== this.text.length) fail(this.at, "nothing may follow the action");
    return edit;
  }

  private skipBlanks(): void {
    while (this.text[this.at] === " ") this.at++;
  }

  private isAt(c: string): boolean {
    return this.text[this.at] === c;
  }

  private take(expression: RegExp): string {
    this.skipBlanks();
    expression.lastIndex = this.at;
    const found = expression.exec(this.text)?.[0] ?? "";
    this.at += found.length;
    return found;
  }

  private word(): string {
    return this.take(/[A-Za-z]+/y);
  }

  private keyword(expected: string): void {
    this.skipBlanks();
    const start = this.at;
    if (this.word() !== expected) fail(start, `expected "${expected}"`, FAILURE_HINT);
  }

  private scopes(): void {
    for (;;) {
      this.skipBlanks();
      const start = this.at;
      const name = this.word();
      if (!(name === "rank" || name === "step" || name === "group") || !this.isAt(":")) {
        this.at = start;
        return;
      }
      this.at++;
      if (this.scopeAt.has(name)) fail(start, `${name}: was given before`, "several numbers are one list: rank:0-3,7; several names one /a|b/");
      this.scopeAt.set(name, start);
      if (name === "group") this.scope.group = this.pattern();
      else if (name === "rank") this.scope.ranks = this.numbers();
      else this.scope.steps = this.numbers();
    }
  }

  private numbers(): NumberRange[] {
    const ranges: NumberRange[] = [];
    for (;;) {
      const start = this.at;
      const first = this.natural();
      let last = first;
      if (this.isAt("-")) {
        this.at++;
        last = this.natural();
        // 3-1 selects nothing; that it was meant the other way round is a guess.
        if (last < first) fail(start, "this range ends before it begins", NUMBERS_HINT);
      }
      ranges.push([first, last]);
      if (!this.isAt(",")) break;
      this.at++;
    }
    if (!this.isAt(" ") && this.at !== this.text.length) fail(this.at, "expected a blank behind the numbers", "like rank:0-3,7 kernel * 2");
    return ranges;
  }

  private natural(): number {
    const digits = /^\d+/.exec(this.text.slice(this.at))?.[0];
    if (digits === undefined || BigInt(digits) > MOST_INTEGER) fail(this.at, "expected a whole number", NUMBERS_HINT);
    this.at += digits.length;
    return Number(digits);
  }

  private refuseScopes(names: readonly string[], message: string, hint = ""): void {
    for (const name of names) {
      const at = this.scopeAt.get(name);
      if (at !== undefined) fail(at, message, hint);
    }
  }

  private profiler(): Edit {
    this.refuseScopes(["rank", "step", "group"], "a profiler is everywhere: this edit has no scope");
    this.skipBlanks();
    const start = this.at;
    if (this.word() !== "remove") fail(start, 'expected "remove"', "profiler remove; if you know the time without it: --unprofiled");
    return { sort: "profiler", text: this.text };
  }

  private delay(): DelayEvent {
    this.refuseScopes(["group"], "a delay is of ranks and steps, not of a group");
    return { sort: "delay", text: this.text, scope: this.scope, amount: this.duration() };
  }

  private failure(): FailureEvent {
    this.refuseScopes(["group"], "ranks fail, groups do not", "like rank:2 fails at 2s restart 30s");
    this.refuseScopes(["step"], "a failure has a time, not a step", "like rank:2 fails at 2s restart 30s from step:3");
    this.keyword("at");
    const at = this.duration();
    this.keyword("restart");
    const restart = this.duration();
    return { sort: "failure", text: this.text, scope: this.scope, at, restart, fromStep: this.fromStep() };
  }

  private fromStep(): number | null {
    this.skipBlanks();
    if (this.at === this.text.length) return null;
    this.keyword("from");
    this.keyword("step");
    if (!this.isAt(":")) fail(this.at, 'expected ":"', "like from step:3");
    this.at++;
    return this.natural();
  }

  private network(isLink: boolean): Edit {
    this.refuseScopes(["rank", "step", "group"], "the network is that of all ranks and steps", "leave the scope out");
    if (isLink) {
      if (!this.isAt(":")) fail(this.at, 'expected ":" and the link\'s name', 'like link:"spine*" bandwidth * 2');
      this.at++;
      this.pattern();
    }
    this.skipBlanks();
    const start = this.at;
    const quantity = this.word();
    if (quantity !== "bandwidth" && quantity !== "latency") fail(start, "expected bandwidth or latency", "like network bandwidth * 2");
    if (quantity === "latency") this.action();
    else this.rateAction();
    return { sort: "network", text: this.text };
  }

  /** A bandwidth is no duration: it is scaled, or set to so many gigabytes a second. */
  private rateAction(): void {
    this.skipBlanks();
    const start = this.at;
    const hint = "* factor, or = number GB/s";
    if (this.at >= this.text.length) fail(this.at, "expected an action at the end", hint);
    const symbol = this.text[this.at++];
    if (symbol !== "*" && symbol !== "=") fail(start, "expected an action", hint);
    const value = this.number();
    if (symbol === "=") {
      this.skipBlanks();
      if (!this.text.startsWith("GB/s", this.at)) fail(this.at, "expected a unit", "GB/s");
      this.at += 4;
    }
    if (value <= 0) fail(start, "without bandwidth nothing ends", hint);
  }

  private change(): EditRule {
    const rule = this.what();
    this.filters(rule);
    rule.selector = this.text.slice(0, this.at).trim();
    Object.assign(rule, this.action());
    return rule;
  }

  private what(): EditRule {
    this.skipBlanks();
    const start = this.at;
    const name = this.take(/[A-Za-z][A-Za-z0-9]*/y); // p2p has a digit in it
    const kinds = WHAT.get(name);
    if (kinds === undefined) fail(start, name === "" ? "expected what to change" : `unknown kind "${name}"`, "one of: " + [...WHAT.keys()].join(" "));
    const rule: EditRule = {
      sort: "rule", text: this.text, selector: "", scope: this.scope, kinds, name: NamePattern.everything,
      exchanged: name === "collective" ? "collectives" : name === "p2p" ? "messages" : "anything",
      collective: NamePattern.everything, stream: null, device: null, inside: null, action: "scale", factor: 1, amount: 0,
    };
    if (!this.isAt(":")) return rule;
    this.at++;
    // Gaps belong to no event: behind the colon stands which of them, not a name.
    if (name === "gap") rule.kinds = this.gap();
    else if (name === "collective") rule.collective = this.pattern();
    else rule.name = this.pattern();
    return rule;
  }

  private gap(): readonly string[] {
    this.skipBlanks();
    const start = this.at;
    const kinds = GAP_WORDS.get(this.word());
    if (kinds === undefined) fail(start, "unknown gap", "one of: " + [...GAP_WORDS.keys()].join(" "));
    return kinds;
  }

  private pattern(): NamePattern {
    this.skipBlanks();
    const start = this.at;
    if (this.isAt("/")) return this.regularExpression();
    if (this.isAt('"')) {
      const close = this.text.indexOf('"', start + 1);
      if (close < 0) fail(start, "this name has no closing quote");
      this.at = close + 1;
      return NamePattern.glob(this.text.slice(start + 1, close));
    }
    const blank = this.text.indexOf(" ", start);
    const end = blank < 0 ? this.text.length : blank;
    if (end === start) fail(start, "expected a name pattern", "a glob like *gemm*, a quoted name, or /a regular expression/");
    this.at = end;
    return NamePattern.glob(this.text.slice(start, end));
  }

  private regularExpression(): NamePattern {
    const start = this.at;
    let expression = "";
    for (this.at++; this.at < this.text.length && !this.isAt("/"); this.at++) {
      // Only \/ is ours to unescape; every other backslash belongs to the expression.
      if (this.isAt("\\") && this.text[this.at + 1] === "/") this.at++;
      expression += this.text[this.at];
    }
    if (this.at >= this.text.length) fail(start, "this regular expression has no closing /");
    this.at++;
    try {
      return NamePattern.regex(expression);
    } catch (error) {
      if (!(error instanceof RegexError)) throw error;
      if (error.beyondPage) fail(start, error.message, USE_THE_COMMAND);
      fail(start, "not a regular expression: " + error.message);
    }
  }

  private integer(): number {
    this.skipBlanks();
    const digits = /^-?\d+/.exec(this.text.slice(this.at))?.[0];
    if (digits === undefined || BigInt(digits) > MOST_INTEGER || BigInt(digits) < -MOST_INTEGER - 1n) fail(this.at, "expected a whole number");
    this.at += digits.length;
    return Number(digits);
  }

  private filters(rule: EditRule): void {
    for (;;) {
      this.skipBlanks();
      const start = this.at;
      const name = this.word();
      if (name === "") return;
      if (name === "stream") rule.stream = this.integer();
      else if (name === "device") rule.device = this.integer();
      else if (name === "in") rule.inside = this.pattern();
      else if (name === "kind") fail(start, NOT_ON_PAGE, PRICED_HINT);
      else if (name === "remove") {
        this.at = start; // the one action that is a word: read again by action()
        return;
      } else {
        fail(start, `expected a filter or an action, not "${name}"`, "filters: stream N, device N, in PATTERN, kind NAME; actions: * = + - remove");
      }
    }
  }

  private number(): number {
    this.skipBlanks();
    const found = /^-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/.exec(this.text.slice(this.at))?.[0];
    const value = found === undefined ? NaN : Number(found);
    if (found === undefined || !Number.isFinite(value)) {
      // The engine reads "inf" as a number, and takes none of it either.
      fail(this.at, "expected a number");
    }
    if (value < 0) fail(this.at, "a negative number makes no sense here");
    this.at += found.length;
    return value;
  }

  private duration(): number {
    const value = this.number();
    this.skipBlanks();
    const start = this.at;
    const unit = this.word();
    if (value === 0 && (unit === "restart" || unit === "from")) { // fails at 0 restart 3s
      this.at = start;
      return 0;
    }
    const scale = UNITS.get(unit);
    // Nothing is nothing in any unit; anything else without one is a guess.
    if (scale === undefined && !(unit === "" && value === 0)) fail(start, "expected a unit", "ns, us, ms or s");
    const amount = value * (scale ?? 0);
    if (amount > MOST_WEIGHT_PS) fail(start, "this duration is too long");
    return roundAway(amount);
  }

  private action(): { action: Action; factor: number; amount: number } {
    this.skipBlanks();
    const start = this.at;
    if (this.at >= this.text.length) fail(this.at, "expected an action at the end", ACTIONS);
    const symbol = this.text[this.at]!;
    // What takes no time is not there, but its order stays.
    if (symbol === "r" && this.word() === "remove") return { action: "set", factor: 1, amount: 0 };
    this.at = start + 1;
    switch (symbol) {
      case "*": return { action: "scale", factor: this.number(), amount: 0 };
      case "=":
        if (/^ *(roof|achievable)\b/.test(this.text.slice(this.at))) fail(start, NOT_ON_PAGE, PRICED_HINT);
        return { action: "set", factor: 1, amount: this.duration() };
      case "+": return { action: "add", factor: 1, amount: this.duration() };
      case "-": return { action: "add", factor: 1, amount: -this.duration() };
      default: return fail(start, "expected an action", ACTIONS);
    }
  }
}
