import { type ArenaAtVersion, Openseat, OpenseatError } from "@openseat/client";
import { goodMove } from "./bot-moves.ts";
import type { Demo } from "./demo-rooms.ts";

/** Two for each arena: one who comes alone has somebody to watch, and to play as soon as a match is over. */
const names = ["Ada", "Blaise", "Carl", "Dora", "Emmy", "Fritz"] as const;
const botsPerArena = 2;

const thinkMsMin = 900;
const thinkMsMost = 2_400;
const comeBackMs = 5_000;

export interface DemoBots {
  /** Whether they are to play from this node, of several: with those of each, people would hardly get a seat. */
  play(isOurs: boolean): void;
  stop(): void;
}

/** Players for the demo rooms. They use the public API as anyone would, and know nothing that a person would not. */
export function startDemoBots(
  url: string,
  demo: Demo,
  onError: (error: unknown) => void,
  isOurs = true,
): DemoBots {
  let bots: readonly Bot[] = [];
  const makeBots = () =>
    demo.arenas.flatMap((arena, number) =>
      names
        .slice(number * botsPerArena, (number + 1) * botsPerArena)
        .map((name) => new Bot(url, arena, `${name} (bot)`, onError)),
    );
  const play = (areOurs: boolean) => {
    if (areOurs === bots.length > 0) return;
    for (const bot of bots) bot.stop();
    bots = areOurs ? makeBots() : [];
    for (const bot of bots) void bot.start();
  };
  play(isOurs);
  return { play, stop: () => play(false) };
}

class Bot {
  readonly #openseat: Openseat;
  readonly #arena: ReturnType<Openseat["arena"]>;
  readonly #name: string;
  readonly #onError: (error: unknown) => void;
  /** The turn that it thinks about, or has moved in. */
  #turn = "";
  readonly #timers = new Set<NodeJS.Timeout>();
  #isStopped = false;

  constructor(url: string, arena: string, name: string, onError: (error: unknown) => void) {
    this.#openseat = new Openseat({ url, onError });
    this.#arena = this.#openseat.arena(arena);
    this.#name = name;
    this.#onError = onError;
  }

  async start(): Promise<void> {
    try {
      await this.#openseat.guest(this.#name);
      await this.#arena.join();
      this.#arena.watch((view) => this.#onView(view));
    } catch (error) {
      this.#note(error);
      this.#later(comeBackMs, () => this.start());
    }
  }

  stop(): void {
    this.#isStopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#openseat.close();
  }

  #onView({ game, state }: ArenaAtVersion): void {
    const { you, match } = state;
    if (!you) {
      this.#comeBack();
      return;
    }
    if (!game || !match?.sight || you.moves.length === 0) return;
    const turn = `${match.id} ${match.turn}`;
    if (turn === this.#turn) return;
    this.#turn = turn;
    const move = goodMove(game, match.sight, you.label!, you.moves, Math.random);
    const thinkMs = thinkMsMin + Math.random() * (thinkMsMost - thinkMsMin);
    this.#later(thinkMs, () => this.#arena.move(move, match.id, match.turn));
  }

  /** It lost its place, as after a pause of the machine. */
  #comeBack(): void {
    if (this.#turn === "away") return;
    this.#turn = "away";
    this.#later(comeBackMs, () => {
      this.#turn = "";
      return this.#arena.join();
    });
  }

  #later(ms: number, run: () => Promise<unknown>): void {
    // What was under way when it stopped is refused, and would be tried again for ever.
    if (this.#isStopped) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run().catch((error) => this.#note(error));
    }, ms);
    this.#timers.add(timer);
  }

  /** A refusal is part of the game: the match was over, or the server is stopping. */
  #note(error: unknown): void {
    if (!(error instanceof OpenseatError)) this.#onError(error);
  }
}
