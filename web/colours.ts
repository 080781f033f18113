// Colours of the timeline, taken from the page's CSS variables, as the words that a canvas's pixels are made of.
import { CRITICAL, TONE_KINDS } from "./events";
import type { Kind } from "./report_data";

export type Rgb = [red: number, green: number, blue: number];

/** Cover of a pixel below one fades in so many steps. */
export const FADES = 8;
/** What is not critical is mixed with so much background. */
const DIMMED = 0.52;
/** Annotations are pale containers. */
const PALE = 0.62;
/** The least fade: a single short event in an empty pixel must be seen. */
const LEAST_FADE = 0.35;

export function parseColour(text: string): Rgb {
  const hex = /^#([0-9a-f]{6})$/i.exec(text.trim());
  const value = hex ? parseInt(hex[1], 16) : 0x808080;
  return [value >> 16, (value >> 8) & 255, value & 255];
}

export function mix(colour: Rgb, background: Rgb, part: number): Rgb {
  return [0, 1, 2].map(i => Math.round(colour[i] * (1 - part) + background[i] * part)) as Rgb;
}

/** As a canvas keeps it in memory of little-endian machines, which all that run browsers are. */
function word([red, green, blue]: Rgb): number {
  return (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0;
}

/** Relative luminance of WCAG 2. */
function luminance(colour: Rgb): number {
  const [r, g, b] = colour.map(v => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Black or white, whichever contrasts more; one of them always has 4.5 : 1. */
export function textOn(colour: Rgb): string {
  const l = luminance(colour);
  return (l + 0.05) / 0.05 >= 1.05 / (l + 0.05) ? "#000" : "#fff";
}

/** All colours for one theme and one state of "dim what is not critical". */
export class Palette {
  readonly background: number;
  readonly grid: number;
  readonly panel: string;
  readonly ink: string;
  readonly muted: string;
  readonly accent: string;
  readonly line: string;
  readonly path: string; // arrows of the path, and the step in the minimap
  readonly host: string;
  readonly device: string;
  readonly surface: string;
  /** tone * FADES + fade. */
  readonly words = new Uint32Array(2 * TONE_KINDS * FADES);
  private readonly texts: string[] = [];

  constructor(kinds: Kind[], isDimmed: boolean) {
    const style = getComputedStyle(document.documentElement);
    const css = (name: string): string => style.getPropertyValue(`--${name}`).trim();
    const background = parseColour(css("bg"));
    this.surface = css("bg");
    this.panel = css("panel");
    this.ink = css("ink");
    this.muted = css("muted");
    this.accent = css("accent");
    this.path = css("bad");
    this.line = css("line") || css("muted");
    this.host = css("k-cpu_operator");
    this.device = css("k-kernel");
    this.background = word(background);
    this.grid = word(mix(parseColour(this.ink), background, 0.92));
    kinds.forEach((kind, number) => {
      const colour = parseColour(css(`k-${kind.id}`));
      const isContainer = kind.id === "annotation";
      const plain = isContainer ? mix(colour, background, PALE) : colour;
      this.put(number, isDimmed && !isContainer ? mix(plain, background, DIMMED) : plain, background);
      this.put(number | CRITICAL, plain, background);
    });
  }

  text(tone: number): string {
    return this.texts[tone] ?? this.ink;
  }

  private put(tone: number, colour: Rgb, background: Rgb): void {
    this.texts[tone] = textOn(colour);
    for (let fade = 0; fade < FADES; fade++) {
      const strength = LEAST_FADE + ((1 - LEAST_FADE) * fade) / (FADES - 1);
      this.words[tone * FADES + fade] = word(mix(colour, background, 1 - strength));
    }
  }
}
