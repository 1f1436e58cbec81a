import assert from "node:assert/strict";
import {
  type GameCommand,
  type GameEvent,
  type GameRoom,
  gameDecider,
  type Millis,
  type PersonId,
  type RefusalCode,
} from "@openseat/kernel";
import type { Committed } from "../../src/host/commit/committed.ts";
import { Host } from "../../src/host/host.ts";
import type { HostOptions } from "../../src/host/host-options.ts";
import type { AskOutcome } from "../../src/host/stream/asks.ts";
import { decodeEntry, type Entry } from "../../src/log/entry.ts";
import type { Log, StreamName } from "../../src/log/log.ts";
import { HeldLog } from "../support/held-log.ts";
import { waitMsMax } from "../support/patience.ts";
import { answered, TestClock, watched } from "../support/test-clock.ts";

export type RoomOutcome = AskOutcome<GameRoom, GameEvent>;

/** A host of games on a log and a clock that the test controls. */
export class Stage {
  readonly log: HeldLog;
  readonly clock: TestClock;
  readonly host: Host;
  readonly games;
  readonly committed: Committed<unknown>[] = [];
  readonly errors: unknown[] = [];

  constructor({ log, clock, ...options }: Partial<Omit<HostOptions, "log" | "clock">> & Given = {}) {
    this.log = log ?? new HeldLog();
    this.clock = clock ?? new TestClock();
    this.host = new Host({
      log: this.log,
      clock: this.clock,
      deciders: { game: gameDecider },
      onCommit: (committed) => this.committed.push(committed),
      onError: (error) => this.errors.push(error),
      ...options,
    });
    this.games = this.host.streams<GameRoom, GameCommand, GameEvent>("game");
  }

  /** Another host on the same log, as after a restart or on another node. */
  another(options: Partial<Omit<HostOptions, "log" | "clock">> = {}): Stage {
    return new Stage({ log: this.log, clock: this.clock, ...options });
  }

  create(
    id: string,
    terms: { seats?: number; waitlist?: boolean; endsIn?: number; key?: string; creator?: string } = {},
  ) {
    const { seats = 10, waitlist = false, endsIn, key, creator = "carol" } = terms;
    const endsAt = endsIn === undefined ? null : ((this.clock.now() + endsIn) as Millis);
    const command = { type: "create", title: "Chess", seats, waitlist, endsAt, creator } as const;
    return this.games.ask(id, { command, by: creator, key });
  }

  /** A new game. */
  async created(id: string, terms: Parameters<Stage["create"]>[1] = {}): Promise<void> {
    entryOf(await answered(this.create(id, terms)));
  }

  join(id: string, name: string, key?: string): Promise<RoomOutcome> {
    return this.games.ask(id, { command: { type: "join", person: name as PersonId }, by: name, key });
  }

  leave(id: string, name: string, key?: string): Promise<RoomOutcome> {
    return this.games.ask(id, { command: { type: "leave", person: name as PersonId }, by: name, key });
  }

  /** The number of seated people and the version, as a reader sees them. */
  read(id: string) {
    return this.games.read(id, (room, version) => ({
      version,
      seated: room?.seated,
      ended: room?.endedAt !== undefined,
    }));
  }

  async stop(): Promise<void> {
    const stopped = watched(this.host.stop());
    // Limit by real time: with a real disk, a busy machine may need many rounds.
    const deadline = performance.now() + waitMsMax;
    while (!stopped.settled && performance.now() < deadline) await this.clock.advance(5);
    assert.ok(stopped.settled, "the host did not stop");
    await stopped.promise;
  }
}

interface Given {
  log?: HeldLog | undefined;
  clock?: TestClock | undefined;
}

export function entryOf(outcome: RoomOutcome): Entry<GameEvent> {
  if ("refusal" in outcome) assert.fail(`refused: ${outcome.refusal.code}`);
  return outcome.entry;
}

export function codeOf(result: object): RefusalCode {
  assert.ok("refusal" in result, "not refused");
  return (result as { refusal: { code: RefusalCode } }).refusal.code;
}

/** All entries of a stream, as stored. */
export async function entriesOf(log: Log, stream: StreamName): Promise<Entry<GameEvent>[]> {
  const batches = await log.read(stream, 0, 1_000_000);
  return batches.flatMap(({ lines }) => lines.map((line) => decodeEntry<GameEvent>(line)));
}
