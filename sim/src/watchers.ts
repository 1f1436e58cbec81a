import { type FeedMessage, type StreamName, type Subscriber, watchLimits } from "@openseat/server";
import type { Faults } from "./faults.ts";
import type { Judge } from "./judge.ts";
import type { Node } from "./node.ts";
import type { Process } from "./process.ts";
import type { World } from "./world.ts";

interface Setting {
  readonly world: World;
  readonly nodes: readonly Node[];
  readonly faults: Faults;
  readonly judge: Judge;
  readonly streams: () => readonly StreamName[];
}

/** The size of each message to a slow watcher: a few of them count as a full backlog. */
const slowMessageBytes = watchLimits.backlogBytesMax / 4;

/** One connection of a watcher. It ends with the process, when it is closed, or when the watcher is cut off. */
class Connection implements Subscriber {
  readonly address = "192.0.2.1";
  readonly process: Process;
  readonly #judge: Judge;
  readonly #faults: Faults;
  readonly #stream: StreamName;
  readonly #isSlow: boolean;
  readonly #untaken: FeedMessage[] = [];
  /** Everything up to this version was sent. */
  sent: number | undefined;
  /** The version of the newest state sent, where states are sent beside events. */
  stateSent: number | undefined;
  #state: unknown;
  /** How often the log had gone back when it last showed true data. */
  #epoch: number;
  /** How often the log had gone back at the last full view, or at the start of the process. */
  #anewEpoch: number;
  /** It was sent an entry that is now lost. */
  #wantsView = false;
  over = false;
  handle: { close(): void } | undefined;

  constructor(
    process: Process,
    { judge, faults }: Setting,
    stream: StreamName,
    after: number | undefined,
    isSlow: boolean,
  ) {
    this.process = process;
    this.#judge = judge;
    this.#faults = faults;
    this.#stream = stream;
    this.#isSlow = isSlow;
    this.sent = after;
    this.#epoch = judge.epoch;
    this.#anewEpoch = process.life.epoch;
  }

  /**
   * Nobody is slow in the calm. A watcher that takes a few messages per second would not catch up before the calm
   * ends.
   */
  get backlogBytes(): number {
    return this.#isSlow && !this.#faults.calm ? this.#untaken.length * slowMessageBytes : 0;
  }

  send(message: FeedMessage): void {
    if (this.over) return;
    if (!this.#keepsUp(message)) return;
    if (message.type === "view") this.#startAnew();
    const state = this.#judge.shown(this.#stream, { sent: this.sent, state: this.#state }, message);
    this.sent = message.version;
    if (state !== undefined) this.stateSent = message.version;
    this.#state = state ?? this.#state;
    this.#untaken.push(message);
  }

  /** CL6: the log still holds what was sent, or a view follows. */
  get isTrue(): boolean {
    return !this.#wantsView && this.#judge.isKept(this.#stream, this.sent ?? 0, this.#epoch);
  }

  /**
   * CL6: whether this message continues from what the log holds after it went back. Once a lost entry was sent,
   * only a view can correct it.
   */
  #keepsUp(message: FeedMessage): boolean {
    if (this.#epoch === this.#judge.epoch) return true;
    const isView = message.type === "view";
    const goesOn = this.#judge.isTrue(this.#stream, message) && (isView || this.isTrue);
    this.#wantsView = !goesOn;
    if (!goesOn) return false;
    if (isView) this.sent = undefined;
    this.#epoch = this.#judge.epoch;
    return true;
  }

  /** CL6: a node learns from its next heartbeat that the log went back, and then sends one full view. */
  #startAnew(): void {
    if (this.sent === undefined || this.#anewEpoch === this.#judge.epoch) return;
    this.#anewEpoch = this.#judge.epoch;
    this.sent = undefined;
  }

  take(): FeedMessage | undefined {
    return this.#untaken.shift();
  }

  drop(): void {
    this.over = true;
    this.handle?.close();
  }
}

/**
 * Watches one room through crashes, cut connections and its own slowness. It must miss nothing and see nothing
 * twice.
 */
export class Watcher {
  readonly #setting: Setting;
  readonly #name: string;
  readonly #stream: StreamName;
  readonly #isSlow: boolean;
  /** The newest version seen, from which it resumes. */
  #seen: number | undefined;
  #epoch = 0;
  #connection: Connection | undefined;

  constructor(name: string, stream: StreamName, setting: Setting) {
    this.#name = name;
    this.#stream = stream;
    this.#setting = setting;
    this.#isSlow = setting.faults.strikes("slowWatcher");
  }

  get stream(): StreamName {
    return this.#stream;
  }

  get seen(): number | undefined {
    return this.#connection?.isTrue ? this.#seen : undefined;
  }

  get stateSeen(): number | undefined {
    return this.#connection?.stateSent;
  }

  async watch(): Promise<void> {
    const { world, faults } = this.#setting;
    const { random } = world;
    for (;;) {
      const pauseMs = faults.calm ? 1_000 : random.between(1, this.#isSlow ? 300 : 40);
      await world.pause(pauseMs, `${this.#name} looks up`);
      if (!this.#connection || this.#connection.over || this.#connection.process.life.over) this.#connect();
      else if (faults.strikes("cutOff")) this.#connection.drop();
      else this.#takeSome();
    }
  }

  #takeSome(): void {
    const { world, faults } = this.#setting;
    const patience = this.#isSlow ? 1 : world.random.between(1, 50);
    // In the calm it reads everything at once, because only the server may be behind.
    for (let left = faults.calm ? Number.POSITIVE_INFINITY : patience; left > 0; left--) {
      const message = this.#connection!.take();
      if (!message) return;
      this.#seen = message.version;
    }
  }

  #connect(): void {
    const { nodes, judge, world } = this.#setting;
    const { open, stopping } = world.random.pick(nodes);
    if (!open || stopping) return;
    // Sometimes it reconnects without memory, like a reloaded page.
    if (world.random.chance(0.1) || this.#epoch !== judge.epoch) this.#seen = undefined;
    this.#epoch = judge.epoch;
    const connection = new Connection(open, this.#setting, this.#stream, this.#seen, this.#isSlow);
    this.#connection = connection;
    connection.handle = open.watch(this.#stream, connection, {
      after: this.#seen,
      viewer: undefined,
    });
  }
}

/** Adds watchers as rooms are created. */
export function startWatchers(count: number, setting: Setting): Watcher[] {
  const watchers: Watcher[] = [];
  const { world } = setting;
  const arrive = async (number: number) => {
    await world.pause(world.random.between(1, 500), `watcher ${number} arrives`);
    while (setting.streams().length === 0) await world.pause(20, `watcher ${number} waits for a room`);
    const watcher = new Watcher(`watcher ${number}`, world.random.pick(setting.streams()), setting);
    watchers.push(watcher);
    await watcher.watch();
  };
  for (let number = 1; number <= count; number++) void arrive(number);
  return watchers;
}
