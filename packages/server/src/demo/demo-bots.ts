import { type ArenaAtVersion, Openseat, OpenseatError } from "@openseat/client";
import { goodMove } from "./bot-moves.ts";
import type { Demo } from "./demo-rooms.ts";

/** Two per arena, so that a single visitor can watch a match and play as soon as it ends. */
const names = ["Ada", "Blaise", "Carl", "Dora", "Emmy", "Fritz"] as const;
const botsPerArena = 2;

const thinkMsMin = 900;
const thinkMsMost = 2_400;
const comeBackMs = 5_000;

export interface DemoBots {
  /** Whether bots play from this node. If all nodes had bots, people would hardly get a seat. */
  play(isOurs: boolean): void;
  stop(): void;
}

/** Players for the demo rooms. They use the public API and know nothing that a person would not. */
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
  /** The turn that the bot is thinking about or has played. */
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

  /** Joins again after losing its place, for example because the machine was suspended. */
  #comeBack(): void {
    if (this.#turn === "away") return;
    this.#turn = "away";
    this.#later(comeBackMs, () => {
      this.#turn = "";
      return this.#arena.join();
    });
  }

  #later(ms: number, run: () => Promise<unknown>): void {
    // After a stop, requests under way are refused and would be retried forever.
    if (this.#isStopped) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run().catch((error) => this.#note(error));
    }, ms);
    this.#timers.add(timer);
  }

  /** Refusals are normal: the match was over, or the server is stopping. */
  #note(error: unknown): void {
    if (!(error instanceof OpenseatError)) this.#onError(error);
  }
}
