import { gameNamed } from "@openseat/kernel";
import type { Listed, Log, StreamName } from "../log/log.ts";
import type { Logger } from "../logger.ts";

/** Further rooms are neither logged nor counted. */
const unsupportedRoomsMax = 1_000;
const namedMax = 20;
const roomsAtOnce = 100;

/** LG13: arenas whose rules this build lacks, for example after a downgrade. */
export class UnsupportedRooms {
  readonly #logger: Pick<Logger, "error">;
  readonly #games = new Map<StreamName, string>();
  #isStopped = false;

  constructor(logger: Pick<Logger, "error">) {
    this.#logger = logger;
  }

  note(stream: StreamName, game: string): void {
    if (this.#games.has(stream) || this.#games.size >= unsupportedRoomsMax) return;
    this.#games.set(stream, game);
    this.#logger.error(
      { stream, game },
      "this build has no rules of the game of an arena: only that arena is refused",
    );
  }

  /** Checks the list of arenas, to report unsupported ones before they are used. */
  async find(log: Pick<Log, "list">): Promise<void> {
    for (let before: number | undefined; !this.#isStopped; ) {
      const query = { kind: "arena", limit: roomsAtOnce, ...(before !== undefined && { before }) };
      const page: Listed[] = await log.list(query);
      for (const { stream, summary } of page) {
        const { game } = (summary.terms ?? {}) as { readonly game?: string | null };
        if (typeof game === "string" && !gameNamed(game)) this.note(stream, game);
      }
      if (page.length < roomsAtOnce) return;
      before = page.at(-1)!.number;
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  get report(): string | undefined {
    if (this.#games.size === 0) return undefined;
    const named = [...this.#games].slice(0, namedMax).map(([stream, game]) => `${stream} (${game})`);
    const more = this.#games.size > namedMax ? ` and ${this.#games.size - namedMax} more` : "";
    return `This build lacks the rules of these arenas' games, so it refuses them: ${named.join(", ")}${more}.`;
  }
}
