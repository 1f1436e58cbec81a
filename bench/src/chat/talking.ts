import type { HttpLoad, OnAnswer, Requests } from "../http-load.ts";
import type { Openseat } from "../openseat-server.ts";
import type { Contender } from "../slices.ts";
import type { OutboxWatch } from "./outbox-watch.ts";

/** Messages generated during the slice, because the next one may depend on earlier answers. */
export interface Talk extends Requests {
  /** Called before each slice. */
  prepare?(): void;
  readonly answered: OnAnswer;
  /** Answered messages, including those answered after the end of a slice, because the log contains them too. */
  readonly acknowledged: number;
}

/** Slices of messages to one server at full speed. */
export type Talking = Contender & {
  /** For each slice, the time from its last answer until all notices had arrived, in milliseconds. */
  readonly noticesAfterMs: readonly number[];
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
  const noticesAfterMs: number[] = [];
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
      noticesAfterMs.push(performance.now() - answeredAt);
    },
    noticesAfterMs,
  };
}
