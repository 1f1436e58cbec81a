import type { FeedMessage, StreamName, Subscriber } from "@openseat/server";
import type { Judge } from "../judge.ts";
import type { Presence } from "../presence-checks.ts";
import type { Process } from "../process.ts";
import type { Onlooker } from "../promises.ts";
import type { Answer, Ask, Request } from "../requests.ts";
import type { Life } from "../world.ts";
import type { ArenaView, StateView } from "./view.ts";

/**
 * A live connection that watches an arena. It ends with the process, when it is closed, or when the network cuts
 * it.
 */
export class Link implements Subscriber, Presence {
  readonly stream: StreamName;
  readonly address = "192.0.2.1";
  readonly backlogBytes = 0;
  readonly #process: Process;
  readonly #judge: Judge;
  readonly #person: ArenaPerson;
  #isCut = false;
  #sent: number | undefined;
  #state: unknown;
  shownVersion = 0;
  handle: { close(): void } | undefined;

  constructor(
    process: Process,
    judge: Judge,
    person: ArenaPerson,
    stream: StreamName,
    after: number | undefined,
  ) {
    this.#process = process;
    this.#judge = judge;
    this.#person = person;
    this.#sent = after;
    this.stream = stream;
  }

  get isOpen(): boolean {
    return !this.#isCut && !this.#process.life.over;
  }

  get life(): Life {
    return this.#process.life;
  }

  get sent(): number | undefined {
    return this.#sent;
  }

  send(message: FeedMessage): void {
    if (this.#isCut) return;
    const { version } = message;
    const known = { sent: this.#sent, state: this.#state, viewer: this.#person.name };
    const state = this.#judge.shown(this.stream, known, message);
    this.#sent = version;
    if (state === undefined) return;
    this.#state = state;
    this.shownVersion = version;
    this.#person.see(this.stream, version, state as StateView);
  }

  drop(): void {
    this.#isCut = true;
    this.handle?.close();
  }
}

/** The arena as the person last saw it. */
interface Seen {
  readonly version: number;
  readonly state: StateView;
}

/** A player, with everything they have been told. */
export class ArenaPerson {
  readonly name: string;
  /** The arena where they spend most of their time. */
  home: StreamName | undefined;
  /** How often they connect, and how often they break the rules. */
  readonly connects: number;
  readonly mischief: number;
  /** They send nothing before this time. */
  silentUntilMs = 0;
  isGone = false;
  link: Link | undefined;
  /** Used keys, to be reused where that must be refused. */
  readonly usedKeys: Ask[] = [];
  /** The last move, to be repeated without its key. */
  lastMove: Ask | undefined;
  readonly #seen = new Map<StreamName, Seen>();
  readonly #matches: string[] = [];
  #turn: (() => void) | undefined;

  constructor(name: string, { connects, mischief }: { connects: number; mischief: number }) {
    this.name = name;
    this.connects = connects;
    this.mischief = mischief;
  }

  /** Resolves when the person sees that it is their turn. */
  async turn(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#turn = resolve;
    });
  }

  /** The person as a watcher who stays to the end. */
  get onlooker(): Onlooker | undefined {
    const { link } = this;
    if (!link?.isOpen) return undefined;
    return { stream: link.stream, seen: link.sent, stateSeen: link.shownVersion };
  }

  sees(stream: StreamName): StateView | undefined {
    return this.#seen.get(stream)?.state;
  }

  /** Known matches, for late commands about them. */
  get matches(): readonly string[] {
    return this.#matches;
  }

  see(stream: StreamName, version: number, state: StateView): void {
    if (version < (this.#seen.get(stream)?.version ?? 0)) return;
    this.#seen.set(stream, { version, state });
    if (state.you && state.you.moves.length > 0) this.#turn?.();
    const id = state.match?.id;
    if (id !== undefined && id !== this.#matches.at(-1)) this.#matches.push(id);
    if (this.#matches.length > 5) this.#matches.shift();
  }

  learn(request: Request, answer: Answer | undefined): void {
    if (!answer || !("stream" in request)) return;
    if (answer.type === "seen" && answer.view)
      this.see(request.stream, answer.version, (answer.view as ArenaView).state);
    // Whatever the answer was, the last view is outdated, so a person who does not watch must look again.
    else if (request.type === "ask" && !this.link?.isOpen) this.#seen.delete(request.stream);
  }
}
