import type { Millis } from "@openseat/kernel";
import { type ClusterState, sharingLimits } from "@openseat/server";
import { must } from "../rule.ts";
import type { Life, World } from "../world.ts";
import { storeTime } from "./lines.ts";

/** One run of a server on a shared log, as the store and the leader know it. */
interface Member {
  readonly life: Life;
  /** When it sent its latest heartbeat, and when the store took one. */
  sentAtMs: number;
  takenAtMs: number;
  /** The store has all presence data of this node up to this time. */
  reportedUpToMs: number;
  /**
   * The answer to its latest heartbeat covers the other nodes' presence data up to this time, and the node knows it
   * up to that one.
   */
  answeredUpToMs: number;
  knownUpToMs: number;
  /** Whether the leader knows of the node, and therefore waits for its presence data. */
  isCounted: boolean;
  leaderSinceMs: number;
  servedSince: Millis;
}

/** The store's times are whole milliseconds. */
const roundingMs = 10;
/** AR9: outages of at least this length are noticed. */
const outageMsMin = 1_000;

/** Which nodes are up, and since when at least one always has been. This is the world's knowledge, not the nodes'. */
export class Membership {
  readonly #world: World;
  readonly #members = new Map<string, Member>();
  #takenAt = Number.NEGATIVE_INFINITY;
  #leader: string | undefined;
  /** When each leader took over. */
  readonly #takenOverMs: number[] = [];
  /** Since when some node could always use the store, by the store's clock. */
  servedSince = 0 as Millis;
  /** Called when the leader learns of a node. From then on it waits for that node's presence data. */
  onCounted: (life: Life) => void = () => {};

  constructor(world: World) {
    this.#world = world;
  }

  enter(name: string, life: Life): void {
    const never = Number.NEGATIVE_INFINITY;
    this.#members.set(name, {
      life,
      ...{
        sentAtMs: never,
        takenAtMs: never,
        reportedUpToMs: never,
        answeredUpToMs: never,
        knownUpToMs: never,
      },
      isCounted: false,
      leaderSinceMs: never,
      servedSince: 0 as Millis,
    });
  }

  heartbeatSent(name: string): void {
    this.#members.get(name)!.sentAtMs = this.#world.elapsedMs;
  }

  /** The store has taken a heartbeat. */
  heartbeatTaken(name: string): void {
    const { elapsedMs } = this.#world;
    const member = this.#members.get(name)!;
    if (this.#isGone(member)) member.isCounted = false;
    member.takenAtMs = elapsedMs;
    member.reportedUpToMs = member.sentAtMs;
    const others = [...this.#members.values()].filter((each) => each !== member && !this.#isGone(each));
    member.answeredUpToMs = Math.min(...others.map(({ reportedUpToMs }) => reportedUpToMs));
    const at = storeTime(this.#world);
    if (at - this.#takenAt >= outageMsMin) this.servedSince = at;
    this.#takenAt = at;
  }

  left(name: string): void {
    this.#members.get(name)!.takenAtMs = Number.NEGATIVE_INFINITY;
  }

  /** A node received the answer to its heartbeat. */
  heartbeatAnswered(name: string, { isLeader, others, servedSince }: ClusterState): void {
    const member = this.#members.get(name)!;
    member.servedSince = servedSince;
    member.knownUpToMs = member.answeredUpToMs;
    // A frozen node may receive the answer long after another node has become leader.
    const isLate = this.#world.elapsedMs - member.sentAtMs >= sharingLimits.leaderMs;
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

  #isGone({ takenAtMs }: Member): boolean {
    return this.#world.elapsedMs - takenAtMs >= sharingLimits.goneAfterMs - roundingMs;
  }

  #of(life: Life): Member | undefined {
    return [...this.#members.values()].find((member) => member.life === life);
  }

  /** Whether the leader must wait for presence data from this node. */
  isCounted(life: Life): boolean {
    const member = this.#of(life);
    return member?.isCounted === true && !this.#isGone(member);
  }

  /** The time up to which this node knows the others' presence data. */
  knownUpToMs(life: Life): number {
    return this.#of(life)?.knownUpToMs ?? Number.NEGATIVE_INFINITY;
  }

  /** According to the last answered heartbeat of this run. */
  servedSinceFor(life: Life): Millis {
    return this.#of(life)?.servedSince ?? (0 as Millis);
  }

  isLeader(life: Life): boolean {
    return this.#leader !== undefined && this.#members.get(this.#leader)?.life === life;
  }

  leaderSinceMs(life: Life): number {
    return this.#of(life)?.leaderSinceMs ?? 0;
  }

  /** When a node next became leader and listed all rooms; infinite if none has yet. */
  nextTakenOverMs(sinceMs: number): number {
    return this.#takenOverMs.find((atMs) => atMs >= sinceMs) ?? Number.POSITIVE_INFINITY;
  }

  /** CL2: there are never two leaders. */
  checkLeaders(believers: readonly string[]): void {
    must(believers.length < 2, "CL2", `${believers.join(" and ")} are leaders at the same time`);
  }
}
