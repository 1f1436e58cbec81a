import type { Attacker } from "./attackers/attacker.ts";
import type { AlsoPolite } from "./stage/polite-client.ts";
import type { Stage } from "./stage/stage.ts";

/** Instructions for the attackers as JSON, one object per attacking process. */
export type Job = Readonly<Record<string, unknown>>;

type Plan<J> = {
  /** One attacking process per job. */
  readonly jobs: readonly J[];
  /** Extra requests of polite people, usually for the feature under attack. */
  readonly alsoPolite?: AlsoPolite;
};

/** One way to harm the server. The first half runs next to the server, and `run` in its own process. */
export type Attack<J = unknown> = {
  readonly name: string;
  /** What the attackers do, in one line. */
  readonly about: string;
  /** Server settings that differ from the defaults. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The minimum duration until the attack takes effect. */
  readonly secondsMin?: number;
  /**
   * Not an attack: people who must be served. They have normal priority, and the run lasts until all have arrived.
   */
  readonly isHonest?: boolean;
  /** Maximum counts: a higher count means that the attackers got around a limit. */
  readonly countsMax?: Readonly<Record<string, number>>;
  /** Minimum counts: below them the attack did not take place as described. */
  readonly countsMin?: Readonly<Record<string, number>>;
  /** Bytes that the server may keep in memory per successful request; default 0. */
  readonly keptBytesEach?: number;
  /** The most requests it may keep memory for; default unlimited. */
  readonly keptMax?: number;
  /** One person sends everything, so the server must not store much of it: the bytes written to disk are judged. */
  readonly isOnePerson?: boolean;
  /** Whether the attackers measure goodput, which is judged. */
  readonly measuresGoodput?: boolean;
  prepare(stage: Stage): Promise<Plan<J>>;
  /** Attacks until told to stop. */
  run(attacker: Attacker, job: J): Promise<void>;
};
