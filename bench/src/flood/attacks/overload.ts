import { Crowd } from "../../persons.ts";
import type { Attack } from "../attack.ts";
import type { Attacker } from "../attackers/attacker.ts";
import { attackerPerson } from "../attackers/attacking-persons.ts";
import { requestText } from "../attackers/hammer.ts";
import { OverloadLoad, type Source } from "../attackers/overload-load.ts";
import { offeredTimesMin } from "../measuring/goodput.ts";

/** Offers more than required, because the capacity known at the end may be higher than the current estimate. */
const times = 1.3 * offeredTimesMin;
const closedMs = 2_000;
const openMs = 4_000;

type Job = {
  readonly secret: string;
  readonly room: string;
  readonly kind: "can-join" | "enter";
  readonly connections: number;
  readonly addresses: number;
  /** Requests per connection while the peak is measured. */
  readonly inFlight: number;
  /** The same while three times the peak is offered. */
  readonly unansweredMax: number;
};

async function overload(attacker: Attacker, { secret, room, kind, ...plan }: Job): Promise<void> {
  const source = kind === "can-join" ? canJoins(new Crowd(secret), room) : enters(new Crowd(secret), room);
  const load = new OverloadLoad(attacker, { ...plan, source });
  await load.connect();
  while (!attacker.isOver) {
    await load.closed(closedMs);
    await load.open(times * load.peakPerSecond, openMs);
  }
  load.close();
}

/** Each connection is one person who repeats the same request. */
function canJoins(crowd: Crowd, game: string): Source {
  const texts = new Map<string, string>();
  return (connection, count) => {
    const key = `${connection}:${count}`;
    let text = texts.get(key);
    if (text === undefined) {
      const { token } = attackerPerson(crowd, connection);
      text = requestText("GET", `/api/v1/games/${game}/can-join`, token).repeat(count);
      texts.set(key, text);
    }
    return text;
  };
}

/** Each request comes from a new person who enters. */
function enters(crowd: Crowd, queue: string): Source {
  let entered = 0;
  return (_connection, count) => {
    let text = "";
    for (let index = 0; index < count; index++)
      text += requestText(
        "POST",
        `/api/v1/queues/${queue}/positions`,
        attackerPerson(crowd, entered++).token,
      );
    return text;
  };
}

export const overloadReads: Attack<Job> = {
  name: "overload",
  about: "can-join at three times the capacity, over 64 connections from 8 addresses",
  secondsMin: 12,
  measuresGoodput: true,
  prepare: async ({ server, game }) => ({
    jobs: [
      {
        ...{ secret: server.secret, room: game, kind: "can-join" },
        ...{ connections: 64, addresses: 8, inFlight: 16, unansweredMax: 64 },
      },
    ],
  }),
  run: overload,
};

/**
 * Comes from so many addresses that limits per address do not help: the server must serve as many people as it can.
 */
export const overloadWrites: Attack<Job> = {
  name: "overload-writes",
  about: "new people enter the waiting room at three times the capacity, from 512 addresses",
  secondsMin: 12,
  // Measured by the benchmark "memory", plus a margin.
  keptBytesEach: 200,
  measuresGoodput: true,
  prepare: async ({ server, queue }) => ({
    jobs: [
      {
        ...{ secret: server.secret, room: queue, kind: "enter" },
        ...{ connections: 512, addresses: 512, inFlight: 8, unansweredMax: 16 },
      },
    ],
  }),
  run: overload,
};
