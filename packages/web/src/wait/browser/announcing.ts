/** The position that was announced last. */
export interface Announced {
  readonly position: number;
  readonly atMs: number;
}

/** The shortest time between announcements: people turn off a screen reader that never stops talking. */
const quietMs = 30_000;

/** After this long, any change is announced. */
const silenceMs = 120_000;

/** Rounds down to 1, 2 or 5 times a power of ten: 12,480 → 10,000; 700 → 500; 3 → 2. */
export function roundStep(position: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, position)));
  return power * ([5, 2, 1].find((step) => position >= step * power) ?? 1);
}

/** Whether to announce the position: at round steps, sometimes between them, and never without a pause. */
export function isWorthSaying(last: Announced, position: number, nowMs: number): boolean {
  const silentForMs = nowMs - last.atMs;
  if (position === last.position || silentForMs < quietMs) return false;
  return silentForMs >= silenceMs || roundStep(position) !== roundStep(last.position);
}
