import type { Position, Queue, Session } from "@openseat/protocol";
import { closed, OpenseatError } from "../errors.ts";
import type { FollowedPlaces, PlaceFollower } from "../live/followed-places.ts";
import { Listeners } from "../live/listeners.ts";
import { Updates } from "../live/updates.ts";
import type { Clock } from "../platform.ts";
import type { Requests } from "../requests.ts";
import {
  isOver,
  isSameState,
  type LineNow,
  type PlaceState,
  type PlaceStatus,
  stageOf,
  stateFrom,
} from "./place-state.ts";
import { QueueSession } from "./session.ts";
import type { StoredPlaces } from "./stored-place.ts";

export interface PlaceDeps {
  readonly requests: Requests;
  readonly followed: FollowedPlaces;
  readonly stored: StoredPlaces;
  readonly clock: Clock;
  readonly report: (error: unknown) => void;
  readonly me: () => string | undefined;
}

/** Heartbeats per `sessionTimeoutSeconds`: two lost requests must not cost a session. */
const perSessionTimeout = 3;
/** Once inside, there is no line to ask about, only whether the session still lasts. */
const insideMsMax = 30_000;

/** A person's own place in a queue. It follows itself until it is over, the client is closed, or `stop` is called. */
export class Place implements AsyncIterable<PlaceState> {
  readonly #deps: PlaceDeps;
  readonly #person: string | undefined;
  readonly #listeners: Listeners<[state: PlaceState]>;
  /** Called when the place is over, fails, or is stopped. */
  readonly #ends = new Set<() => void>();
  #answer: Position;
  /** The newest message about the line; undefined if the answer is newer. */
  #line: LineNow | undefined;
  #state: PlaceState;
  #error: OpenseatError | undefined;
  /** Counts what was shown, so that a late answer does not undo a newer message. */
  #shown = 0;
  #isAsking = false;
  #isFollowing = true;
  #isLearning = false;
  /** Infinite without a timeout; undefined until the queue's settings are read. */
  #sessionTimeoutMs: number | undefined;
  #cancelAsk = () => {};
  #stopFollowing = () => {};

  constructor(position: Position, deps: PlaceDeps) {
    this.#deps = deps;
    this.#person = deps.me();
    this.#listeners = new Listeners(deps.report);
    this.#answer = position;
    this.#state = stateFrom(position, undefined);
    this.#remember();
    if (isOver(position)) this.#end();
    else this.#follow();
  }

  get id(): string {
    return this.#state.id;
  }

  get queue(): string {
    return this.#state.queue;
  }

  /** All of the following at once. A new object at each change. */
  get state(): PlaceState {
    return this.#state;
  }

  get status(): PlaceStatus {
    return this.#state.status;
  }

  /** One more than the number of people ahead; 0 when not waiting. */
  get position(): number {
    return this.#state.position;
  }

  /** How many people wait. */
  get length(): number {
    return this.#state.length;
  }

  /** How long the wait will probably take; null when unknown. */
  get estimate(): PlaceState["estimate"] {
    return this.#state.estimate;
  }

  /** Whether no heartbeat arrived for a while, so that others may have been admitted first. */
  get away(): boolean {
    return this.#state.away;
  }

  /** Until when the admission can be claimed. */
  get claimBy(): string | undefined {
    return this.#state.claimBy;
  }

  /** The admission token, for a site that claims it itself. */
  get token(): string | undefined {
    return this.#state.token;
  }

  /** Why the place is over. */
  get reason(): PlaceState["reason"] {
    return this.#state.reason;
  }

  get isOver(): boolean {
    return isOver(this.#state);
  }

  /** Why the place can no longer be followed, for example because it belongs to an earlier guest. */
  get error(): OpenseatError | undefined {
    return this.#error;
  }

  /** Calls the listener after each change, also when following has failed. Returns a function that stops. */
  onChange(listener: (state: PlaceState) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** The state now and after each change, until the place is over. A slow reader gets only the latest state. */
  [Symbol.asyncIterator](): AsyncIterableIterator<PlaceState, undefined> {
    const updates = new Updates<PlaceState, PlaceState>({
      start: (push, fail) => {
        const onEnd = () => (this.#error ? fail(this.#error) : updates.end());
        const stop = this.onChange(push);
        push(this.#state);
        if (this.#isFollowing) this.#ends.add(onEnd);
        else onEnd();
        return () => {
          this.#ends.delete(onEnd);
          stop();
        };
      },
      merge: (_, state) => state,
      show: (state) => state,
    });
    return updates;
  }

  /** Resolves when it is this person's turn. Rejects with `place.over` if the place ends before. */
  async admitted(): Promise<PlaceState> {
    const state = await this.#until(() => stageOf(this.#state) > 0);
    if (isOver(state)) throw placeOver(state);
    return state;
  }

  /** Resolves when the place is over: given up, expired or completed. */
  ended(): Promise<PlaceState> {
    return this.#until(() => this.isOver);
  }

  /** Claims the admission. Claiming again, also after a reload, returns the same session. */
  async claim(): Promise<QueueSession> {
    const { requests } = this.#deps;
    const { queue, status } = this.#state;
    if (this.isOver) throw placeOver(this.#state);
    const token = this.#state.token ?? this.#tokenStored();
    if (token === undefined) throw unready(status);
    const { session } = await requests
      .write<{ session: Session }>("/api/v1/sessions", { token, queue })
      .catch((error) => this.#afterRefusal(error));
    if (stageOf(this.#state) < 2) {
      const { token: _, claimBy: __, ...answer } = this.#answer;
      this.#show({ ...answer, status: "ACTIVE", position: 0, estimate: null });
    }
    return new QueueSession(session, this, requests);
  }

  /** Gives up the place, or ends the session. */
  async leave(): Promise<void> {
    await this.#deps.requests
      .write(this.#path, undefined, "DELETE")
      .catch((error) => this.#afterRefusal(error));
    await this.settle();
  }

  /** Asks for the exact state now. */
  async refresh(): Promise<PlaceState> {
    await this.#ask();
    return this.#state;
  }

  /** Asks for the state after it was changed. The change counts, even if this fails. */
  async settle(): Promise<void> {
    await this.#ask().catch(() => this.#planAsk());
  }

  /** Stops following. The place is kept until its lease ends; `openseat.queue(id).place()` follows it again. */
  stop(): void {
    if (this.#isFollowing) this.#end();
  }

  /** Something changed that was not shown. */
  #afterRefusal(error: unknown): never {
    void this.#askAsFollower();
    throw error;
  }

  get #path(): string {
    return `/api/v1/positions/${encodeURIComponent(this.id)}`;
  }

  #follow(): void {
    if (this.status === "ACTIVE") void this.#learnSessionTimeout();
    const follower: PlaceFollower = {
      id: this.id,
      queue: this.queue,
      onPosition: (position) => this.#show(position),
      onPulse: (line) => this.#onPulse(line),
      onDoubt: () => void this.#askAsFollower(),
      onClose: () => this.stop(),
    };
    this.#stopFollowing = this.#deps.followed.follow(follower);
    this.#planAsk();
  }

  #planAsk(): void {
    this.#cancelAsk();
    if (!this.#isFollowing) return;
    this.#cancelAsk = this.#deps.clock.after(this.#pauseMs, () => void this.#askAsFollower());
  }

  get #pauseMs(): number {
    const askAgainMs = this.#answer.askAgainSeconds * 1_000;
    if (this.status !== "ACTIVE") return askAgainMs;
    // A session can end after a few seconds without a heartbeat, so a long pause must wait for the queue's settings.
    const wantedMs =
      this.#sessionTimeoutMs === undefined ? askAgainMs : this.#sessionTimeoutMs / perSessionTimeout;
    return Math.min(insideMsMax, wantedMs);
  }

  /** Each request is a heartbeat. */
  async #askAsFollower(): Promise<void> {
    if (this.#isAsking || !this.#isFollowing) return;
    this.#isAsking = true;
    try {
      await this.#ask();
    } catch (error) {
      if (this.#isFollowing && isFinal(error as OpenseatError)) this.#end(error as OpenseatError);
    }
    this.#isAsking = false;
    this.#planAsk();
  }

  async #ask(): Promise<void> {
    const { followed, requests } = this.#deps;
    const shownBefore = this.#shown;
    const answer =
      (await followed.ask(this.id)) ??
      (await requests.readAsPerson<{ position: Position }>(this.#path)).position;
    const isOvertaken = this.#shown > shownBefore;
    if (isOvertaken && stageOf(answer) < stageOf(this.#state)) return;
    this.#show(answer, isOvertaken ? this.#line : undefined);
  }

  #onPulse({ moved, waiting }: LineNow): void {
    this.#line = { moved, waiting };
    this.#change(stateFrom(this.#answer, this.#line));
  }

  #show(answer: Position, line?: LineNow): void {
    this.#answer = answer;
    this.#line = line;
    this.#change(stateFrom(answer, line));
    if (answer.status === "ACTIVE") void this.#learnSessionTimeout();
  }

  #change(state: PlaceState): void {
    this.#shown++;
    if (this.isOver || isSameState(this.#state, state)) return;
    this.#state = state;
    this.#remember();
    if (!this.#isFollowing) return;
    this.#listeners.notify(state);
    if (isOver(state)) this.#end();
  }

  /** Sessions need heartbeats only if their queue says so. */
  async #learnSessionTimeout(): Promise<void> {
    if (this.#isLearning || this.#sessionTimeoutMs !== undefined) return;
    this.#isLearning = true;
    const path = `/api/v1/queues/${encodeURIComponent(this.queue)}`;
    try {
      const { queue } = await this.#deps.requests.read<{ queue: Queue }>(path);
      this.#sessionTimeoutMs = (queue.sessionTimeoutSeconds ?? Number.POSITIVE_INFINITY) * 1_000;
      this.#planAsk();
    } catch {
      // The next answer tries again. It comes soon, because the timeout is unknown.
    }
    this.#isLearning = false;
  }

  #remember(): void {
    const { stored } = this.#deps;
    const person = this.#person;
    const { id, queue, token } = this.#state;
    if (person === undefined) return;
    if (this.isOver) stored.forget(queue, { person, id });
    else stored.keep(queue, { person, id, token: token ?? this.#tokenStored() });
  }

  /** Known even if the answer to claiming was lost, or the page was reloaded. */
  #tokenStored(): string | undefined {
    const { id, queue } = this.#state;
    const stored = this.#deps.stored.of(queue, this.#person);
    return stored?.id === id ? stored.token : undefined;
  }

  #end(error?: OpenseatError): void {
    this.#isFollowing = false;
    this.#error = error;
    this.#cancelAsk();
    this.#stopFollowing();
    for (const end of [...this.#ends]) end();
    if (error) this.#listeners.notify(this.#state);
  }

  #until(isReached: () => boolean): Promise<PlaceState> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        if (isReached() || this.isOver) resolve(this.#state);
        else if (!this.#isFollowing) reject(this.#error ?? closed("This place is no longer followed."));
        else return;
        stop();
        this.#ends.delete(settle);
      };
      const stop = this.onChange(settle);
      this.#ends.add(settle);
      settle();
    });
  }
}

/** Whether asking again is pointless: the place is not this person's, or they may not ask. */
function isFinal({ status, retryable, code }: OpenseatError): boolean {
  return code === "client.closed" || (!retryable && status >= 400 && status < 500);
}

function placeOver({ reason, endedAt }: PlaceState): OpenseatError {
  const data = { reason, endedAt };
  return new OpenseatError("place.over", "This place is over. You can enter the line again.", {
    status: 410,
    data,
  });
}

function unready(status: PlaceStatus): OpenseatError {
  const message =
    status === "WAITING"
      ? "It is not your turn yet."
      : "This admission was claimed elsewhere, and only there the session is known.";
  const data = { status: status.toLowerCase() };
  return new OpenseatError("place.unready", message, { status: 409, data });
}
