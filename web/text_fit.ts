// Text cut to a width without asking the canvas each time: advances of characters are measured once.
import { shownName } from "./format";

export class TextFitter {
  private readonly advances = new Map<string, number>();
  private readonly shown = new Map<string, string>();
  private readonly dots: number;

  constructor(private readonly measure: (text: string) => number) {
    this.dots = measure("…");
  }

  /** As much of `text` as fits, with an ellipsis where it is cut; empty: not even one character does. */
  fit(text: string, width: number): string {
    const shown = this.readable(text);
    let used = 0;
    let cut = 0; // characters that leave room for the ellipsis
    for (let i = 0; i < shown.length; i++) {
      used += this.advance(shown[i]);
      if (used + this.dots <= width) cut = i + 1;
      if (used > width) return cut === 0 ? "" : shown.slice(0, cut) + "…";
    }
    return shown;
  }

  private readable(text: string): string {
    let shown = this.shown.get(text);
    if (shown === undefined) this.shown.set(text, (shown = shownName(text)));
    return shown;
  }

  private advance(character: string): number {
    let width = this.advances.get(character);
    if (width === undefined) this.advances.set(character, (width = this.measure(character)));
    return width;
  }
}
