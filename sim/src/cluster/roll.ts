import type { Millis } from "@openseat/kernel";
import { type Beat, sharingLimits } from "@openseat/server";
import { must } from "../rule.ts";
import type { Life, World } from "../world.ts";
import { storeTime } from "./lines.ts";

/** One run of a server on a shared log, as the store and the leader know it. */
interface Member {
  readonly life: Life;
  /** When it sent its latest beat, and when the store took one. */
  beatingAtMs: number;
  beatenAtMs: number;
  /** Until when all that it has heard is with the store. */
  toldUpToMs: number;
  /** Until when all that the others have heard is in the answer to its latest beat; and is known to it. */
  foundUpToMs: number;
  knownUpToMs: number;
  /** Whether the leader has been told that it is there, and so waits for what it has heard. */
  isCounted: boolean;
  leaderSinceMs: number;
  servedSince: Millis;
}

/** Times of the store are whole milliseconds. */
const roundingMs = 10;
/** AR9: an outage of so long is noticed. */
const outageMsMin = 1_000;

/**
 * Which nodes are there, and since when there has always been one, as the world knows it and not as the nodes do.
 */
export class Roll {
  readonly #world: World;
  readonly #members = new Map<string, Member>();
  #beatenAt = Number.NEGATIVE_INFINITY;
  #leader: string | undefined;
  /** When one node after another became the leader. */
  readonly #takenOverMs: number[] = [];
  /** Since when there has always been some node that could use the store, by the store's clock. */
  servedSince = 0 as Millis;
  /** Told when the leader has come to know of a node: from now on it waits for what that one has heard. */
  onCounted: (life: Life) => void = () => {};

  constructor(world: World) {
    this.#world = world;
  }

  enter(name: string, life: Life): void {
    const never = Number.NEGATIVE_INFINITY;
    this.#members.set(name, {
      life,
      ...{ beatingAtMs: never, beatenAtMs: never, toldUpToMs: never, foundUpToMs: never, knownUpToMs: never },
      isCounted: false,
      leaderSinceMs: never,
      servedSince: 0 as Millis,
    });
  }

  beating(name: string): void {
    this.#members.get(name)!.beatingAtMs = this.#world.elapsedMs;
  }

  /** The store has taken a beat. */
  beaten(name: string): void {
    const { elapsedMs } = this.#world;
    const member = this.#members.get(name)!;
    if (this.#isGone(member)) member.isCounted = false;
    member.beatenAtMs = elapsedMs;
    member.toldUpToMs = member.beatingAtMs;
    const others = [...this.#members.values()].filter((each) => each !== member && !this.#isGone(each));
    member.foundUpToMs = Math.min(...others.map(({ toldUpToMs }) => toldUpToMs));
    const at = storeTime(this.#world);
    if (at - this.#beatenAt >= outageMsMin) this.servedSince = at;
    this.#beatenAt = at;
  }

  left(name: string): void {
    this.#members.get(name)!.beatenAtMs = Number.NEGATIVE_INFINITY;
  }

  /** A node has had the answer to its beat. */
  told(name: string, { isLeader, others, servedSince }: Beat): void {
    const member = this.#members.get(name)!;
    member.servedSince = servedSince;
    member.knownUpToMs = member.foundUpToMs;
    // Of a node that was frozen the answer may be so late that another has taken care for long.
    const isLate = this.#world.elapsedMs - member.beatingAtMs >= sharingLimits.leaderMs;
    if (!isLeader || isLate) return;
    if (this.#leader !== name) {
      member.leaderSinceMs = this.#world.elapsedMs;
      this.#takenOverMs.push(this.#world.elapsedMs);
    }
    this.#leader = name;
    for (const each of [name, ...others.keys()]) this.#count(this.#members.get(each));
  }

  #count(member: Member | undefined): void {
    if (!member || member.isCounted || this.#isGone(member)) return;
    member.isCounted = true;
    this.onCounted(member.life);
  }

  #isGone({ beatenAtMs }: Member): boolean {
    return this.#world.elapsedMs - beatenAtMs >= sharingLimits.goneAfterMs - roundingMs;
  }

  #of(life: Life): Member | undefined {
    return [...this.#members.values()].find((member) => member.life === life);
  }

  /** Whether what is heard there now has to be waited for. */
  isCounted(life: Life): boolean {
    const member = this.#of(life);
    return member?.isCounted === true && !this.#isGone(member);
  }

  /** Until when all that other nodes have heard is known to this one. */
  knownUpToMs(life: Life): number {
    return this.#of(life)?.knownUpToMs ?? Number.NEGATIVE_INFINITY;
  }

  /** By the last beat that this run has had an answer to. */
  servedSinceFor(life: Life): Millis {
    return this.#of(life)?.servedSince ?? (0 as Millis);
  }

  isLeader(life: Life): boolean {
    return this.#leader !== undefined && this.#members.get(this.#leader)?.life === life;
  }

  leaderSinceMs(life: Life): number {
    return this.#of(life)?.leaderSinceMs ?? 0;
  }

  /** When a node next became the leader, and listed all rooms that there were; infinite if none has yet. */
  nextTakenOverMs(sinceMs: number): number {
    return this.#takenOverMs.find((atMs) => atMs >= sinceMs) ?? Number.POSITIVE_INFINITY;
  }

  /** CL2: at no time are there two that take care. */
  checkLeaders(believers: readonly string[]): void {
    must(believers.length < 2, "CL2", `${believers.join(" and ")} take care at the same time`);
  }
}
