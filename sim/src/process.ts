import type {
  ArenaCommand,
  ArenaEvent,
  ArenaRoom,
  Conversation as ConversationRoom,
  Directory as DirectoryRoom,
  GameRoom,
  Ladder as LadderRoom,
  Millis,
  PersonId,
  QueueRoom,
  TicketNumber,
} from "@openseat/kernel";
import {
  arenaView,
  type Clock,
  Host,
  Hub,
  type Lens,
  Matches,
  type Result,
  type StreamName,
  type Streams,
  type Subscriber,
  TimeSlices,
  type Viewer,
  watchRoom,
} from "@openseat/server";
import { recalledMax } from "./arena/recall.ts";
import { viewOfArenaShown } from "./arena/view.ts";
import { viewOfDirectoryRoom } from "./chat/answers.ts";
import { viewOfConversationRoom } from "./chat/conversation.ts";
import { poisoned, poisonedWords } from "./chat/poison.ts";
import { Switchboard, senders } from "./chat/switchboard.ts";
import type { Cluster } from "./cluster/cluster.ts";
import type { Disk } from "./disk.ts";
import type { Faults } from "./faults.ts";
import { viewOfRoom } from "./game/view.ts";
import { type Judge, listLimit } from "./judge.ts";
import { missingLadder } from "./ladder/deliveries.ts";
import { viewOfLadderRoom } from "./ladder/view.ts";
import { isByName, ticketIn as ownTicketIn, ticketOf } from "./own-place.ts";
import type { Parts } from "./parts.ts";
import type { PresenceChecks } from "./presence-checks.ts";
import { viewOfQueueRoom } from "./queue/view.ts";
import {
  type Answer,
  type Ask,
  type Browse,
  type Command,
  type Event,
  idOf,
  isTalking,
  type Kind,
  kindOf,
  type Look,
  type Recall,
  type Request,
  ticketIn,
} from "./requests.ts";
import type { Scenario } from "./scenario.ts";
import { nobody, shownChange } from "./shown.ts";
import { SimLog, type Witness } from "./sim-log.ts";
import type { Glance } from "./specification.ts";
import { Life, type World } from "./world.ts";

type Room = GameRoom | QueueRoom | ArenaRoom | LadderRoom | DirectoryRoom | ConversationRoom;
export type Rooms = Streams<Room, Command, Event>;

export interface Surroundings {
  readonly world: World;
  readonly scenario: Scenario;
  readonly faults: Faults;
  readonly parts: Parts;
  readonly witness: Witness;
  /** The disk of a standalone node. */
  readonly disk: Disk;
  /** Undefined for a standalone node. */
  readonly cluster: Cluster | undefined;
  readonly presence: PresenceChecks | undefined;
  readonly judge: Judge;
}

const startAgainMs = 300;

/** One run of the server, from start to crash or clean stop. */
export class Process {
  readonly life: Life;
  readonly #log: SimLog;
  readonly #host: Host;
  readonly #hub: Hub;
  readonly #rooms: Readonly<Record<Kind, Rooms>>;
  readonly #switchboard: Switchboard;
  readonly #clock: Clock;
  readonly #deps: Parts;
  readonly #presence: PresenceChecks | undefined;
  readonly #judge: Judge;
  readonly #isShared: boolean;
  /** Requests taken but not answered. */
  unanswered = 0;
  /** Listening: earlier requests are refused. */
  isOpen = false;
  #isStopping = false;

  constructor(name: string, surroundings: Surroundings, clockOf: (life: Life) => Clock) {
    const { world, scenario, faults, parts, witness, disk, cluster, presence, judge } = surroundings;
    this.life = new Life(world, judge.epoch);
    this.#deps = parts;
    this.#presence = presence;
    this.#judge = judge;
    this.#clock = parts.clock(clockOf(this.life));
    const joined = cluster?.join(name, this.life);
    this.#isShared = joined !== undefined;
    this.#log = new SimLog(joined?.log ?? parts.store, this.life, faults, witness, joined?.line ?? disk);
    this.#hub = new Hub(this.#log, this.#clock);
    const { idleMs, residentStreamsMax, snapshotTailMin } = scenario;
    const talk = { scenario, faults, judge, life: this.life };
    this.#host = new Host({
      log: parts.wire(this.#log, this.#hub),
      clock: this.#clock,
      deciders: {
        ...{ game: parts.games, queue: parts.queues, arena: parts.arenas },
        ...poisoned(parts, () => judge.correspondence.poisonFailures++),
        conversation: parts.conversations,
      },
      senders: senders(() => this.#host, parts.sender, talk),
      idleMs,
      residentStreamsMax,
      snapshotTailMin,
      onCommit: (committed) => parts.publish(this.#hub, committed),
      onDoubt: (stream) => parts.doubt(this.#hub, stream),
      onForked: (stream) => this.#hub.showAnew(stream),
      onServerChanged: (versionOf) => this.#hub.showAllAnew(versionOf),
      onError: (error) => {
        if (!isExplained(error as Error)) judge.fail(error);
      },
    });
    this.#rooms = {
      game: this.#host.streams("game"),
      queue: this.#host.streams("queue"),
      arena: this.#host.streams("arena"),
      ladder: this.#host.streams("ladder"),
      directory: this.#host.streams("directory"),
      conversation: this.#host.streams("conversation"),
    };
    this.#switchboard = new Switchboard(this.#host, parts.chat, talk);
    presence?.started(() => this.#clock.now());
    void this.#start();
  }

  /** Retries until the store can be reached, like a real server. */
  async #start(): Promise<void> {
    while (!this.isOpen && !this.#isStopping) {
      try {
        await this.#host.start();
        this.isOpen = true;
      } catch (error) {
        if (!isExplained(error as Error)) this.#judge.fail(error);
        await new Promise<void>((resolve) => this.life.after(startAgainMs, "starts again", resolve));
      }
    }
  }

  now(): Millis {
    return this.#clock.now();
  }

  get isLeader(): boolean {
    return this.isOpen && !this.life.isFrozen && this.#host.isLeader;
  }

  /** Never answers if the process dies first; a frozen process answers after the freeze. */
  answer(request: Request): Promise<Answer> {
    return new Promise((resolve) => this.life.when(() => void this.#take(request).then(resolve)));
  }

  async #take(request: Request): Promise<Answer> {
    if (request.type === "list") return this.#list(request.kind);
    if (request.type === "recall") return this.#recall(request);
    if (request.type === "browse") return this.#browse(request);
    if (request.type === "resend" || request.type === "discard")
      return this.#switchboard.settle(request.type);
    if (isTalking(request)) return this.#counting(this.#switchboard.answer(request));
    const ticket = ticketIn(request);
    // Count the heartbeat on arrival: see `Streams.noteHeartbeat`.
    if (ticket !== undefined) {
      this.#judge.check(() => this.#presence?.heartbeat(request.stream, ticket, this.life));
      this.#deps.heartbeat(this.#rooms.queue, idOf(request.stream), ticket as TicketNumber);
    }
    const kind = kindOf(request.stream);
    const noteIfKnown = isByName(kind) ? this.#playerHeartbeat(kind, request) : () => {};
    const answer = await this.#counting(this.#answer(request));
    if (answer.type !== "refused" || !answer.refusal.retryable) noteIfKnown();
    return answer;
  }

  async #counting(answering: Promise<Answer>): Promise<Answer> {
    this.unanswered++;
    const answer = await answering;
    this.unanswered--;
    return answer;
  }

  /** LS1: the heartbeat of a person, by name. A node that could not read the log may not know the person's place. */
  #playerHeartbeat(kind: "game" | "arena", { stream, by }: Ask | Look): () => void {
    const ticket = ticketOf(kind, this.#judge.ledger.history(stream).rooms.at(-1), by);
    const { elapsedMs } = this.life.world;
    this.#deps.heartbeat(this.#rooms[kind], idOf(stream), ownTicketIn(kind, by));
    const note = () => {
      if (ticket) this.#judge.check(() => this.#presence?.heartbeat(stream, ticket, this.life, elapsedMs));
    };
    if (this.#isShared) return note;
    note();
    return () => {};
  }

  /** Read from the log itself, so a clean stop may interrupt it. */
  async #list(kind: Kind): Promise<Answer> {
    const rooms = await this.#rooms[kind].list({ limit: listLimit }).catch(() => undefined);
    return rooms ? { type: "listed", rooms } : { type: "refused", refusal: unreadable };
  }

  /** Also read from the log itself. */
  async #recall({ stream, match }: Recall): Promise<Answer> {
    const streams = this.#rooms.arena as Streams<ArenaRoom, ArenaCommand, ArenaEvent>;
    const matches = new Matches(streams, new TimeSlices(this.#clock));
    const id = idOf(stream);
    const asked: Promise<Result<unknown>> =
      match === undefined ? matches.list(id, undefined, recalledMax) : replayed(matches, id, match);
    const result = await asked.catch((error) => {
      if ((error as Error).name !== "LogUnavailable") this.#judge.fail(error);
      return { refusal: unreadable };
    });
    return "refusal" in result
      ? { type: "refused", refusal: result.refusal }
      : { type: "recalled", data: result.value };
  }

  /** Read from the rows. */
  async #browse({ stream, query }: Browse): Promise<Answer> {
    const records = await this.#log
      .matchesIn(this.#deps.store.ladders, { stream, ...query })
      .catch(() => undefined);
    return records ? { type: "browsed", records } : { type: "refused", refusal: unreadable };
  }

  async #answer(request: Ask | Look): Promise<Answer> {
    const rooms = this.#rooms[kindOf(request.stream)];
    const id = idOf(request.stream);
    if (request.type === "look") {
      const look = (room: Room | undefined, version: number) => ({
        version,
        view: room ? this.#view(request.stream, room, version, request) : null,
      });
      const glimpsed = rooms.peek(id, look);
      if (glimpsed) return { type: "seen", ...glimpsed };
      const looked = await rooms.read(id, look);
      return "refusal" in looked ? { type: "refused", ...looked } : { type: "seen", ...looked.value };
    }
    const { command, by, key } = request;
    const outcome = await rooms.ask(id, { command, by, key });
    if ("refusal" in outcome) return { type: "refused", ...outcome };
    const terms = "terms" in outcome.state ? outcome.state.terms : undefined;
    return { type: "done", entry: outcome.entry, terms, replayed: outcome.replayed };
  }

  #view(stream: StreamName, room: Room, version: number, glance: Glance) {
    switch (kindOf(stream)) {
      case "game":
        return viewOfRoom(room as GameRoom, glance);
      case "queue":
        return viewOfQueueRoom(room as QueueRoom, glance, this.#clock.now());
      case "ladder":
        return viewOfLadderRoom(room as LadderRoom, glance);
      case "directory":
        return viewOfDirectoryRoom(room as DirectoryRoom, glance);
      case "conversation":
        return viewOfConversationRoom(room as ConversationRoom);
      case "arena":
        return viewOfArenaShown(arenaView(idOf(stream), room as ArenaRoom, version, glance.by as PersonId));
    }
  }

  /** Opens a live connection for a place, which sends heartbeats as long as it is open. */
  hold(stream: StreamName, ticket: number): { release(): void } {
    let hold: { release(): void } | undefined;
    let isOver = false;
    this.life.when(() => {
      // A frozen process may see the end of the place first.
      if (isOver) return;
      this.#judge.check(() => this.#presence?.held(stream, ticket, this.life));
      hold = this.#deps.hold(this.#rooms[kindOf(stream)], idOf(stream), ticket as TicketNumber);
    });
    return {
      release: () =>
        this.life.when(() => {
          isOver = true;
          if (!hold) return;
          this.#presence?.released(stream, ticket, this.life);
          hold.release();
        }),
    };
  }

  watch(
    stream: StreamName,
    subscriber: Subscriber,
    from: { readonly after: number | undefined; readonly viewer: Viewer },
  ): { close(): void } {
    let watch: { close(): void } | undefined;
    this.life.when(() => {
      watch = this.#watch(stream, subscriber, from);
    });
    return { close: () => this.life.when(() => watch?.close()) };
  }

  #watch(
    stream: StreamName,
    subscriber: Subscriber,
    from: { readonly after: number | undefined; readonly viewer: Viewer },
  ): { close(): void } {
    if (kindOf(stream) === "arena") return this.#watchArena(idOf(stream), subscriber, from);
    const lens: Lens = {
      change: (entry) => ({ type: "change", version: entry.version, json: shownChange(entry) }),
      view: async () => {
        const looked = await this.#rooms[kindOf(stream)].read(idOf(stream), (room, version) => {
          const json = JSON.stringify(room ? this.#view(stream, room, version, { by: nobody }) : null);
          return { type: "view", version, json } as const;
        });
        return "refusal" in looked ? undefined : looked.value;
      },
    };
    return this.#hub.watch(stream, lens, subscriber, from);
  }

  /** Reads the terms first, because they decide how an arena is shown. Watching counts as a heartbeat. */
  #watchArena(
    id: string,
    subscriber: Subscriber,
    from: { readonly after: number | undefined; readonly viewer: Viewer },
  ): { close(): void } {
    const arenas = this.#rooms.arena as Streams<ArenaRoom, Command, Event>;
    let watch: { close(): void } | undefined;
    let isClosed = false;
    const begin = async () => {
      const found = await arenas.read(id, (room) => room?.terms);
      if (isClosed) return;
      if ("refusal" in found || !found.value) return subscriber.drop("The arena does not exist.");
      const lens = this.#deps.arenaLens(id, found.value, async (look) => {
        const seen = await arenas.read(id, look);
        return "refusal" in seen ? undefined : seen.value;
      });
      const holder = (kind: "game" | "arena") => ({
        hold: (of: string, ticket: number) => this.hold(`${kind}/${of}`, ticket),
      });
      const parts = { games: holder("game"), arenas: holder("arena"), hub: this.#hub };
      watch = watchRoom(parts, { kind: "arena", id }, lens, subscriber, from);
    };
    void begin();
    return {
      close() {
        isClosed = true;
        watch?.close();
      },
    };
  }

  stop(): Promise<void> {
    this.#isStopping = true;
    return new Promise((resolve) => this.life.when(() => void this.#host.stop().then(resolve)));
  }

  crash(): void {
    this.life.end();
    this.#presence?.ended(this.life);
    this.#log.crash();
  }
}

/** Whether the error is a planted fault, a poisoned message, or a missing ladder. */
function isExplained({ name, message }: Error): boolean {
  if (name === "LogUnavailable" || message === poisonedWords) return true;
  return message.includes(` to ladder/${missingLadder} was refused`);
}

const unreadable = { code: "log.unavailable", message: "The list cannot be read.", retryable: true } as const;

/** The whole replay, joined from its pages. */
async function replayed(matches: Matches, id: string, match: number): Promise<Result<unknown>> {
  const replay = await matches.replay(id, match);
  if ("refusal" in replay) return replay;
  const { pages, ...rest } = replay;
  const moves: unknown[] = [];
  for await (const page of pages) moves.push(...page);
  return { value: { ...rest, moves } };
}
