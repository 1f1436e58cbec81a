import type { HttpLoad, OnAnswer, Requests } from "../http-load.ts";
import type { Openseat } from "../openseat-server.ts";
import type { Contender } from "../slices.ts";
import type { OutboxWatch } from "./outbox-watch.ts";

/** Messages that are made up as they go, for the next may depend on what was answered. */
export interface Talk extends Requests {
  /** Before a slice. */
  prepare?(): void;
  readonly answered: OnAnswer;
  /** Messages answered so far, also those answered after the end of a slice: they are in the log as well. */
  readonly acknowledged: number;
}

/** Slices at full speed of messages to one server. */
export type Talking = Contender & {
  /** For each slice, how long after its last answer all that people were to be told had arrived, in milliseconds. */
  readonly toldAfterMs: readonly number[];
};

export function talkingContender(settings: {
  readonly name: string;
  readonly server: Openseat;
  readonly load: HttpLoad;
  readonly outbox: OutboxWatch;
  readonly talk: Talk;
  readonly sliceMs: number;
}): Talking {
  const { name, server, load, outbox, talk, sliceMs } = settings;
  const toldAfterMs: number[] = [];
  let answeredAt = 0;
  return {
    name,
    pid: server.pid,
    prepare: () => talk.prepare?.(),
    async run() {
      const result = await load.saturate(talk, sliceMs, (...answer) => talk.answered(...answer));
      answeredAt = performance.now();
      return result;
    },
    logCounters: () => server.logCounters(),
    async settle() {
      await outbox.untilEmpty();
      toldAfterMs.push(performance.now() - answeredAt);
    },
    toldAfterMs,
  };
}
