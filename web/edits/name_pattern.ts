// Patterns over names. A glob has to match all of a name, a regular expression any part of it.
import { translateRe2 } from "./re2_subset";

export class NamePattern {
  private constructor(
    private readonly expression: RegExp | null,
    /** The glob "": what has no name at all, which no other pattern selects. */
    readonly isOfNameless: boolean,
  ) {}

  static readonly everything = new NamePattern(null, false);

  static glob(text: string): NamePattern {
    let expression = "";
    for (const c of text) {
      if (c === "*") expression += ".*";
      else if (c === "?") expression += ".";
      else expression += escaped(c);
    }
    // s: names of kernels may have line breaks, and * stands for anything; u: ? is one character, not half of one.
    return new NamePattern(new RegExp(`^${expression}$`, "su"), text === "");
  }

  /** Throws a RegexError. */
  static regex(text: string): NamePattern {
    return new NamePattern(new RegExp(translateRe2(text), "u"), false);
  }

  get matchesEverything(): boolean {
    return this.expression === null;
  }

  matches(name: string): boolean {
    return this.expression === null || this.expression.test(name);
  }
}

function escaped(c: string): string {
  return /[\\^$.*+?()[\]{}|/]/.test(c) ? "\\" + c : c;
}
