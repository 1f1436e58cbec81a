import { Hub } from "../../src/feed/hub.ts";
import type { FeedMessage, Lens, Subscriber } from "../../src/feed/watch.ts";
import { entryOf, Stage } from "../host/stage.ts";
import { answered, turns } from "../support/test-clock.ts";

/** A reader, which may be slow. */
export class Reader implements Subscriber {
  readonly got: FeedMessage[] = [];
  readonly address = "192.0.2.1";
  /** While true, nothing is read. */
  isSlow = false;
  backlogBytes = 0;
  readonly dropped: string[] = [];

  send(message: FeedMessage): void {
    this.got.push(message);
    if (this.isSlow) this.backlogBytes += message.json.length;
  }

  drop(reason: string): void {
    this.dropped.push(reason);
  }

  drain(): void {
    this.isSlow = false;
    this.backlogBytes = 0;
  }

  get versions(): string {
    return this.got
      .map(({ type, version }) => (type === "view" ? `view ${version}` : `${version}`))
      .join(" ");
  }
}

/** A host with watched games. */
export class Theatre extends Stage {
  readonly hub: Hub;
  /** The size of every message, in bytes. */
  weight = 100;
  views = 0;
  canView = true;

  constructor() {
    super({
      onCommit: (committed) => this.hub.publish(committed),
      onDoubt: (stream) => (stream ? this.hub.catchUp(stream) : this.hub.catchUpAll()),
    });
    this.hub = new Hub(this.log, this.clock);
  }

  lens(id: string): Lens {
    const message = (type: "view" | "change", version: number): FeedMessage => ({
      type,
      version,
      json: `${version}`.padEnd(this.weight),
    });
    return {
      view: async () => {
        this.views++;
        const result = await this.games.read(id, (_, version) => version);
        return this.canView && "value" in result ? message("view", result.value) : undefined;
      },
      change: ({ version }) => message("change", version),
    };
  }

  watch(reader: Reader, after?: number, id = "g") {
    return this.hub.watch(`game/${id}`, this.lens(id), reader, { after });
  }

  async joins(from: number, to: number, id = "g"): Promise<void> {
    const asks = [];
    for (let version = from; version <= to; version++) asks.push(this.join(id, `p${version}`));
    for (const outcome of await answered(Promise.all(asks))) entryOf(outcome);
    await turns();
  }
}

export const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index).join(" ");

export async function theatre(seats = 100_000): Promise<Theatre> {
  const stage = new Theatre();
  await stage.created("g", { seats, creator: "@service" });
  return stage;
}
