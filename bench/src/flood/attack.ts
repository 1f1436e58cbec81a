import type { Attacker } from "./attackers/attacker.ts";
import type { AlsoPolite } from "./stage/polite-client.ts";
import type { Stage } from "./stage/stage.ts";

/** What the attackers are told, as JSON: one of these for each attacking process. */
export type Job = Readonly<Record<string, unknown>>;

type Plan<J> = {
  /** One attacking process for each. */
  readonly jobs: readonly J[];
  /** What polite people do besides their usual round: mostly what the attack is meant to keep them from. */
  readonly alsoPolite?: AlsoPolite;
};

/** One way to harm the server. The first half runs beside the server, `run` in a process of its own. */
export type Attack<J = unknown> = {
  readonly name: string;
  /** What the attackers do, in one line. */
  readonly about: string;
  /** Settings of the server that are not the default ones. */
  readonly settings?: Readonly<Record<string, string>>;
  /** It needs so long to take effect. */
  readonly secondsMin?: number;
  /** Not an attack: people who deserve to be served, and must be. They have ordinary priority, and the run lasts until all have come. */
  readonly isHonest?: boolean;
  /** How often something may be counted at most: more means that the attackers evaded a limit. */
  readonly countsMax?: Readonly<Record<string, number>>;
  /** How often something must be counted: otherwise the attack was not what it says. */
  readonly countsMin?: Readonly<Record<string, number>>;
  /** What the server rightly keeps in memory of each request with a good answer; 0 by default. */
  readonly keptBytesEach?: number;
  /** Of so many requests at most, where the server has a limit; unlimited by default. */
  readonly keptMax?: number;
  /** One person sends all of it, so the server must not keep much of it: what it writes to the disk is judged. */
  readonly isOnePerson?: boolean;
  /** Whether the attackers measure their goodput, which is judged. */
  readonly measuresGoodput?: boolean;
  prepare(stage: Stage): Promise<Plan<J>>;
  /** Attacks until it is told that it is over. */
  run(attacker: Attacker, job: J): Promise<void>;
};
