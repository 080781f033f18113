// Regular expressions: what RE2, which the engine uses, and ECMAScript both know and mean the same by, written again for ECMAScript.
//
// The two differ in the small: RE2's . leaves out the line feed only, its \s is five characters, [[:alpha:]] and \z are its own, and it has no
// look-around and no references back. So an expression is read by RE2's grammar and written anew; what is only in one of them is refused.

export class RegexError extends Error {
  constructor(
    message: string,
    /** True: the engine knows it, the page does not. */
    readonly beyondPage: boolean,
  ) {
    super(message);
  }
}

/** An expression for `new RegExp(..., "u")` that matches what RE2 matches. Throws a RegexError. */
export function translateRe2(text: string): string {
  return new Translator([...text]).translate();
}

const PERL_CLASSES: Readonly<Record<string, string>> = { d: "0-9", s: "\\t\\n\\f\\r ", w: "0-9A-Za-z_" };
const CONTROLS: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };
const MOST_REPEATS = 1000; // of RE2

class Translator {
  private at = 0;
  private repeats = 1; // how often the most repeated part of this level is repeated, all levels below multiplied

  constructor(private readonly text: string[]) {}

  translate(): string {
    const out = this.alternatives();
    // Only a parenthesis that was never opened ends the outermost level early.
    if (this.at < this.text.length) throw wrong("unexpected )", this.text.join(""));
    return out;
  }

  private alternatives(): string {
    let out = "";
    for (;;) {
      const c = this.text[this.at];
      if (c === undefined || c === ")") return out;
      if (c === "|") {
        this.at++;
        out += "|";
      } else {
        out += this.repeated();
      }
    }
  }

  /** One atom and how often it is repeated. */
  private repeated(): string {
    const start = this.at;
    const c = this.text[this.at]!;
    if ("*+?".includes(c)) throw wrong("no argument for repetition operator", c);
    if (this.repeatCount() !== null) throw wrong("no argument for repetition operator", this.text.slice(start, this.at).join(""));
    const before = this.repeats;
    this.repeats = 1;
    const atom = this.atom();
    const first = this.at;
    const operator = this.operator();
    this.repeats = Math.max(this.repeats, before);
    if (operator === "") return atom;
    if (this.operator() !== "") throw wrong("bad repetition operator", this.text.slice(first, this.at).join(""));
    return `(?:${atom})${operator}`;
  }

  private operator(): string {
    const start = this.at;
    const c = this.text[this.at];
    let operator = "";
    if (c === "*" || c === "+" || c === "?") {
      this.at++;
      operator = c;
    } else {
      const count = this.repeatCount();
      if (count === null) return "";
      // Repeats of repeats count as their product, since each is written out.
      this.repeats *= Math.max(1, count.most === Infinity ? count.least : count.most);
      if (this.repeats > MOST_REPEATS || count.most < count.least)
        throw wrong("invalid repetition size", this.text.slice(start, this.at).join(""));
      operator = count.most === Infinity ? `{${count.least},}` : `{${count.least},${count.most}}`;
    }
    // Whether few or many are tried first does not change whether a name matches.
    if (this.text[this.at] === "?") this.at++;
    return operator;
  }

  /** {n}, {n,}, {n,m}; anything else behind a brace is text. */
  private repeatCount(): { least: number; most: number } | null {
    if (this.text[this.at] !== "{") return null;
    const found = /^\{(\d+)(,?)(\d*)\}/.exec(this.text.slice(this.at, this.at + 40).join(""));
    if (!found || (found[2] === "" && found[3] !== "")) return null;
    this.at += found[0]!.length;
    const least = Number(found[1]);
    return { least, most: found[2] === "" ? least : found[3] === "" ? Infinity : Number(found[3]) };
  }

  private atom(): string {
    const c = this.text[this.at++]!;
    switch (c) {
      case "(": return this.group();
      case "[": return this.characterClass();
      case ".": return "[^\\n]";
      case "^": return "(?:^)";
      case "$": return "(?:$)";
      case "\\": return this.escape();
      default: return literal(c.codePointAt(0)!);
    }
  }

  private group(): string {
    if (this.text[this.at] === "?") {
      if (this.text[this.at + 1] !== ":") throw beyond("(?");
      this.at += 2;
    }
    const start = this.at;
    const inside = this.alternatives();
    if (this.text[this.at] !== ")") throw wrong("missing )", this.text.join(""));
    this.at++;
    return start === this.at - 1 ? "(?:)" : `(?:${inside})`;
  }

  private escape(): string {
    const c = this.text[this.at];
    if (c === undefined) throw wrong("trailing \\", "");
    if (c === "b" || c === "B") return this.at++, `(?:\\${c})`;
    if (c === "A") return this.at++, "(?:^)";
    if (c === "z") return this.at++, "(?:$)";
    if (c === "C" || c === "p" || c === "P" || c === "Q") throw beyond("\\" + c);
    const kind = perlClass(c);
    if (kind !== null) return this.at++, `[${c === c.toLowerCase() ? "" : "^"}${kind}]`;
    return literal(this.escapedCharacter());
  }

  /** Behind a backslash, inside and outside of classes. */
  private escapedCharacter(): number {
    const c = this.text[this.at++];
    if (c === undefined) throw wrong("trailing \\", "");
    const control = Object.prototype.hasOwnProperty.call(CONTROLS, c) ? CONTROLS[c] : undefined;
    if (control !== undefined) return control;
    if (c === "x") return this.hexadecimal();
    // RE2 reads octal numbers here, ECMAScript references back.
    if (/[0-7]/.test(c)) throw beyond("\\" + c);
    if (c.charCodeAt(0) < 128 && !/[A-Za-z0-9]/.test(c)) return c.codePointAt(0)!;
    throw wrong("invalid escape sequence", "\\" + c);
  }

  private hexadecimal(): number {
    const found = /^(?:([0-9a-fA-F]{2})|\{([0-9a-fA-F]+)\})/.exec(this.text.slice(this.at, this.at + 12).join(""));
    if (!found) throw wrong("invalid escape sequence", "\\x" + (this.text[this.at] ?? ""));
    this.at += found[0]!.length;
    let code = 0;
    [...(found[1] ?? found[2]!)].forEach((digit, i) => {
      code = code * 16 + parseInt(digit, 16);
      // RE2 stops reading, and quotes, up to the digit with which it becomes too large.
      if (code > 0x10ffff) throw wrong("invalid escape sequence", "\\x" + found[0]!.slice(0, i + 2));
    });
    return code;
  }

  private characterClass(): string {
    const start = this.at - 1;
    const missing = () => wrong("missing ]", this.text.slice(start).join(""));
    let out = "[";
    if (this.text[this.at] === "^") {
      this.at++;
      out += "^";
    }
    for (let first = true; ; first = false) {
      const c = this.text[this.at];
      if (c === undefined) throw missing();
      // The first ] is a character, since a class of nothing makes no sense.
      if (c === "]" && !first) break;
      out += this.classItem(missing);
    }
    this.at++;
    return out + "]";
  }

  private classItem(missing: () => RegexError): string {
    const start = this.at;
    if (this.text[this.at] === "[" && this.text[this.at + 1] === ":") throw beyond("[[:");
    if (this.text[this.at] === "\\") {
      const c = this.text[this.at + 1] ?? "";
      if (c === "p" || c === "P") throw beyond("\\" + c);
      const kind = perlClass(c);
      if (kind !== null) {
        // A negated one beside others would have to be taken apart.
        if (c !== c.toLowerCase()) throw beyond(`\\${c} in brackets`);
        this.at += 2;
        return kind;
      }
    }
    const low = this.classCharacter(missing);
    if (this.text[this.at] !== "-" || this.text[this.at + 1] === "]" || this.text[this.at + 1] === undefined) return literal(low);
    this.at++;
    const high = this.classCharacter(missing);
    if (high < low) throw wrong("invalid character class range", this.text.slice(start, this.at).join(""));
    return `${literal(low)}-${literal(high)}`;
  }

  private classCharacter(missing: () => RegexError): number {
    const c = this.text[this.at++];
    if (c === undefined) throw missing();
    return c === "\\" ? this.escapedCharacter() : c.codePointAt(0)!;
  }
}

/** What \d, \s and \w stand for, and their capitals for the others; null for what is none of them. */
function perlClass(c: string): string | null {
  const lower = c.toLowerCase();
  return Object.prototype.hasOwnProperty.call(PERL_CLASSES, lower) ? PERL_CLASSES[lower]! : null;
}

function literal(code: number): string {
  return /\w/.test(String.fromCodePoint(code)) && code < 128 ? String.fromCodePoint(code) : `\\u{${code.toString(16)}}`;
}

function wrong(what: string, where: string): RegexError {
  return new RegexError(where === "" ? what : `${what}: ${where}`, false);
}

function beyond(what: string): RegexError {
  return new RegexError(`the page does not know ${what} in regular expressions`, true);
}
