/** The position that was last said aloud. */
export interface Announced {
  readonly position: number;
  readonly atMs: number;
}

/** A screen reader that never stops talking gets turned off. */
const quietMs = 30_000;

/** After so long any change is worth a word. */
const silenceMs = 120_000;

/** 12,480 → 10,000; 700 → 500; 3 → 2: the round step (1, 2 or 5 of something) that a position is on. */
export function roundStep(position: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, position)));
  return power * ([5, 2, 1].find((step) => position >= step * power) ?? 1);
}

/** Whether to say the position aloud: at round steps, now and then between them, and never without pause. */
export function isWorthSaying(last: Announced, position: number, nowMs: number): boolean {
  const silentForMs = nowMs - last.atMs;
  if (position === last.position || silentForMs < quietMs) return false;
  return silentForMs >= silenceMs || roundStep(position) !== roundStep(last.position);
}
