import type { Millis } from "@openseat/kernel";
import { aheadMsMax, type Clock, type Timer } from "../../clock.ts";
import type { StreamName } from "../../log/log.ts";
import { type Beat, type Heard, type Sharing, sharingLimits } from "../../log/sharing.ts";
import type { Holds } from "../presence/holds.ts";
import { PresenceBitmap } from "../presence/presence-bitmap.ts";

export interface NodeHeartbeatDeps {
  readonly sharing: Sharing;
  readonly clock: Clock;
  readonly holds: Holds;
  /** This node has become the caretaker, or is it no more. */
  readonly onCaretaker: (isCaretaker: boolean) => void;
  /** Another node had a sign of life of a place; told to the caretaker. */
  readonly onHeard: (stream: StreamName, ticket: number) => void;
  /** A node is gone, or this one or all were away: signs of life may be lost, and so may what would have been announced. */
  readonly onGone: () => void;
  /**
   * CL6: another run of the database server answers: the log may have gone back. `since` is when the last beat was sent that the
   * former one answered, by `clock.elapsed`.
   */
  readonly onServerChanged: (since: number) => void;
  /** Once after each beat that succeeded. */
  readonly onBeat: () => void;
  /** Once after each that failed. */
  readonly onMissed: (error: unknown) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * What this node tells the others of itself, and hears of them, several times a second: that it is there, whom it has heard
 * of, and which of them is the caretaker.
 */
export class NodeHeartbeat {
  readonly #parts: NodeHeartbeatDeps;
  /** Of whom there was a sign of life since it was last told. Limited by the places that there are: a bit each. */
  #heard = new Map<StreamName, PresenceBitmap>();
  #latest: Beat | undefined;
  /** When the latest was sent, by `clock.elapsed`: until the answer came, time has passed that is counted against it. */
  #sentAt = Number.NEGATIVE_INFINITY;
  #servedSince = 0 as Millis;
  #wasCaretaker = false;
  /** The answer to a beat did not come, and with it what other nodes had heard. */
  #hasMissed = false;
  #timer: Timer | undefined;
  #underWay: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(parts: NodeHeartbeatDeps) {
    this.#parts = parts;
  }

  /** Resolves with the first beat: before it, nobody knows for how long nobody was served. Rejects when it fails. */
  async start(): Promise<void> {
    const { sharing, clock } = this.#parts;
    const sentAt = clock.elapsed();
    this.#follow(await sharing.beat([]), sentAt);
    this.#goOn();
  }

  /** Tells what was heard, and that this node goes. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#underWay;
    try {
      if (this.#latest) await this.#parts.sharing.beat(this.#takeHeard());
      await this.#parts.sharing.leave();
    } catch (error) {
      // The others will notice by themselves, a little later.
      this.#parts.onError(error);
    }
  }

  /** A caretaker that has been stopped for a while is none any more, before it knows. */
  get isCaretaker(): boolean {
    const isInTime = this.sinceMs < sharingLimits.caretakerMs;
    return this.#latest?.isCaretaker === true && isInTime && !this.#isStopped;
  }

  /** How long ago the latest beat was sent that succeeded. */
  get sinceMs(): number {
    return this.#parts.clock.elapsed() - this.#sentAt;
  }

  /** By the server's time. */
  get servedSince(): Millis {
    return this.#servedSince;
  }

  get nodes(): number {
    return (this.#latest?.others.size ?? 0) + 1;
  }

  /** Until when all signs of life that the other nodes had are known here, by `clock.elapsed`. */
  get heardUpTo(): number {
    if (!this.#latest) return Number.NEGATIVE_INFINITY;
    const { at, others } = this.#latest;
    let oldest = at;
    for (const toldUntil of others.values()) if (toldUntil < oldest) oldest = toldUntil;
    return this.#sentAt - (at - oldest);
  }

  /** To be told to the caretaker with the next beat. */
  hear(stream: StreamName, ticket: number): void {
    let pages = this.#heard.get(stream);
    if (!pages) {
      pages = new PresenceBitmap();
      this.#heard.set(stream, pages);
    }
    pages.add(ticket);
  }

  #goOn(): void {
    if (this.#isStopped) return;
    this.#timer = this.#parts.clock.after(sharingLimits.beatMs, () => {
      this.#underWay = this.#beat().then(() => this.#goOn());
    });
  }

  async #beat(): Promise<void> {
    const { sharing, clock, onError, onBeat, onMissed } = this.#parts;
    const told = this.#heard;
    const sentAt = clock.elapsed();
    try {
      const beat = await sharing.beat(this.#takeHeard());
      this.#follow(beat, sentAt);
      onBeat();
    } catch (error) {
      this.#tellAgain(told);
      this.#hasMissed = true;
      // Of a caretaker that can reach nobody, others may have taken over.
      this.#noteCaretaker();
      onMissed(error);
      onError(error);
    }
  }

  #follow(beat: Beat, sentAt: number): void {
    const { clock, onHeard, onGone } = this.#parts;
    const before = this.#latest;
    const beforeAt = this.#sentAt;
    // It stood still for so long that it was the caretaker no more: what it heard then went nowhere. Even if it is the caretaker again
    // with this beat, it has to begin anew.
    const hasLapsed = this.#wasCaretaker && !this.isCaretaker;
    this.#noteCaretaker();
    this.#latest = beat;
    this.#sentAt = sentAt;
    clock.follow?.(beat.at);
    this.#noteService(beat, before);
    const isOneGone = [...(before?.others.keys() ?? [])].some((name) => !beat.others.has(name));
    const wasAway = before !== undefined && before.servedSince !== beat.servedSince;
    const hasMissed = this.#hasMissed;
    this.#hasMissed = false;
    this.#noteCaretaker();
    for (const { stream, pages } of beat.heard)
      for (const ticket of PresenceBitmap.tickets(pages)) onHeard(stream, ticket);
    if (isOneGone || wasAway || hasMissed || hasLapsed) onGone();
    if (before && before.server !== beat.server) this.#parts.onServerChanged(beforeAt);
  }

  /**
   * The log dates outages by its clock. Entries have the server's time, which may be ahead of that (CK1): compared as they are, they
   * would all seem to be from after the outage, and no clock would restart.
   */
  #noteService({ at, servedSince }: Beat, before: Beat | undefined): void {
    const { clock } = this.#parts;
    const now = clock.now();
    // Compared with when the beat was sent: being late by its journey is not being ahead.
    const aheadMs = now - this.sinceMs - at;
    // Further ahead, time is about to go back (CK2).
    const isAhead = aheadMs >= sharingLimits.outageMs && aheadMs <= aheadMsMax;
    if (servedSince !== before?.servedSince)
      this.#servedSince = (servedSince + (isAhead ? aheadMs : 0)) as Millis;
    // Time has gone back: every entry would seem to be from before the outage.
    else if (this.#servedSince > now) this.#servedSince = servedSince;
  }

  #noteCaretaker(): void {
    const isCaretaker = this.isCaretaker;
    if (isCaretaker === this.#wasCaretaker) return;
    this.#wasCaretaker = isCaretaker;
    this.#parts.onCaretaker(isCaretaker);
  }

  #takeHeard(): Heard[] {
    // Its own mailboxes have been told at once; and the next caretaker gives everybody a fresh window.
    if (this.isCaretaker) this.#heard = new Map();
    else for (const [stream, ticket] of this.#parts.holds.all()) this.hear(stream, ticket);
    const heard = this.#heard;
    this.#heard = new Map();
    return Array.from(heard, ([stream, pages]) => ({ stream, pages: pages.pack() }));
  }

  #tellAgain(heard: ReadonlyMap<StreamName, PresenceBitmap>): void {
    for (const [stream, pages] of heard)
      for (const ticket of PresenceBitmap.tickets(pages.pack())) this.hear(stream, ticket);
  }
}
