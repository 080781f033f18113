// Scaling and rounding of times, as the engine does it.

/** Times of a graph lie within these (26 days). */
export const MOST_WEIGHT_PS = 2 ** 61 - 1;

/** To the next whole number, halves away from zero. */
export function roundAway(value: number): number {
  return value < 0 ? -Math.round(-value) : Math.round(value);
}

export function scaled(weight: number, factor: number): number {
  const product = weight * factor;
  return Math.abs(product) >= MOST_WEIGHT_PS ? Math.sign(product) * MOST_WEIGHT_PS : roundAway(product);
}
