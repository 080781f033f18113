// Several edits in one line, and edits on a command line.

/** Splits at semicolons, but not inside "..." or /.../ where a pattern may stand. Empty parts are left out. */
export function splitEdits(line: string): { text: string; start: number }[] {
  const parts: { text: string; start: number }[] = [];
  let start = 0;
  const end = (at: number) => {
    const raw = line.slice(start, at);
    const text = raw.trim();
    if (text !== "") parts.push({ text, start: start + raw.indexOf(text) });
    start = at + 1;
  };
  for (let at = 0; at < line.length; at++) {
    if (line[at] === ";") end(at);
    else if (opensPattern(line, at, start)) at = closing(line, at);
  }
  end(line.length);
  return parts;
}

/** A quote or a slash opens a pattern behind a colon and behind the word `in`; elsewhere it is part of a glob. */
function opensPattern(line: string, at: number, start: number): boolean {
  return (line[at] === '"' || line[at] === "/") && /(?::|(?:^|[^\w:*?])in) *$/.test(line.slice(start, at));
}

/** Where the pattern that opens at `at` ends; the end of the line if it never does. */
function closing(line: string, at: number): number {
  const mark = line[at]!;
  for (let i = at + 1; i < line.length; i++) {
    if (mark === "/" && line[i] === "\\" && line[i + 1] === "/") i++;
    else if (line[i] === mark) return i;
  }
  return line.length;
}

/** In single quotes, as a POSIX shell wants it, unless nothing in it needs them. */
export function shellQuoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`;
}
