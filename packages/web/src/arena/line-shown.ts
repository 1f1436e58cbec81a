import type { ArenaState, Person } from "@openseat/client";

export interface LineRow {
  readonly position: number;
  readonly name: string;
  readonly isYou: boolean;
}

/** The front of the line, the viewer wherever they are, and how many there are besides. */
export interface LineShown {
  readonly rows: readonly LineRow[];
  /** The viewer's row, when it is too far back to be among the first. */
  readonly you: LineRow | undefined;
  readonly more: number;
}

export function lineShown(
  { line, waiting, you }: Pick<ArenaState, "line" | "waiting" | "you">,
  me: Person | undefined,
): LineShown {
  const rows = line.map(({ position, person }) => ({
    position,
    name: person.name,
    isYou: person.userId === me?.id,
  }));
  const isBehind = you?.position != null && !rows.some(({ isYou }) => isYou);
  const yours = isBehind ? { position: you.position!, name: me?.name ?? "You", isYou: true } : undefined;
  return { rows, you: yours, more: Math.max(0, waiting - rows.length - (yours ? 1 : 0)) };
}
