import { until } from "../../../server/test/support/http.ts";
import { tokenOf } from "../../../server/test/support/tokens.ts";
import type { ArenaAtVersion, ArenaChange, ArenaHandle, Openseat } from "../../src/index.ts";
import type { Stage } from "./stage.ts";

/** A person who watches an arena. */
export class Player {
  readonly client: Openseat;
  readonly arena: ArenaHandle;
  readonly views: ArenaAtVersion[] = [];
  readonly changes: ArenaChange[] = [];
  /** The number of changes of each view. */
  readonly counts: number[] = [];

  constructor(client: Openseat, arena: string) {
    this.client = client;
    this.arena = client.arena(arena);
    this.arena.watch((view, changes) => {
      this.views.push(view);
      this.changes.push(...changes);
      this.counts.push(changes.length);
    });
  }

  static called(name: string, stage: Stage, arena: string): Player {
    return new Player(stage.client({ token: tokenOf(name) }), arena);
  }

  get view(): ArenaAtVersion {
    const view = this.views.at(-1);
    if (!view) throw new Error("Nothing has been shown yet.");
    return view;
  }

  /** Waits until they see it. */
  sees(what: string, check: (view: ArenaAtVersion) => boolean): Promise<true> {
    return until(what, () => this.views.length > 0 && check(this.view));
  }

  get isToMove(): boolean {
    return (this.views.at(-1)?.state.you?.moves.length ?? 0) > 0;
  }
}

/** Plays `moves`, each by the player whose view says that it is their turn. */
export async function playOut(players: readonly Player[], moves: readonly string[]): Promise<void> {
  for (const move of moves) {
    const mover = await until(`someone's turn to play ${move}`, () =>
      players.find(({ isToMove }) => isToMove),
    );
    const seen = mover.view.state.match!;
    await mover.arena.move(move);
    for (const player of players) await player.sees(`${move} played`, isAfter(seen));
  }
}

/** Whether a view is later than another. */
export function isAfter(seen: { readonly id: string; readonly moves: number }) {
  return ({ state: { match } }: ArenaAtVersion) => match?.id !== seen.id || match.moves > seen.moves;
}
