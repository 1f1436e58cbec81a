import type { OpenseatError } from "../errors.ts";
import type { FeedMessage } from "./live-link.ts";

/** How the messages of one kind of room become views. */
export interface RoomKind<View, Change> {
  readonly name: "game" | "arena" | "ladder" | "queue" | "conversation";
  /** Whether each viewer has a view of their own. */
  readonly isPersonal: boolean;
  /** Whether to watch keeps the place of the person who watches, where the view is the same for all. */
  readonly keepsPlace?: true;
  viewIn(message: FeedMessage): View;
  changesIn(message: FeedMessage): readonly Change[];
  /** The view after a change; undefined when only a later message tells it. `changes` are all since the view. */
  after(view: View, message: FeedMessage, changes: readonly Change[]): View | undefined;
}

export type WatchListener<View, Change> = (view: View, changes: readonly Change[]) => void;

export interface Watcher<View, Change> {
  readonly hear: WatchListener<View, Change>;
  readonly onRefused: ((error: OpenseatError) => void) | undefined;
  /** Whether it has been shown the room yet. */
  isNew: boolean;
}

/** More than the server sends to anyone who catches up; past it a whole view is cheaper. */
const heldMax = 20_000;

/** A room that is watched: the last view that everyone was shown, and what has come since. */
export class WatchedRoom<View, Change> {
  readonly kind: RoomKind<View, Change>;
  readonly id: string;
  readonly watchers = new Set<Watcher<View, Change>>();
  /** What comes before the watch was asked for belongs to an earlier one. */
  isAsked = false;
  failures = 0;
  #shown: { readonly version: number; readonly view: View } | undefined;
  /** Changes whose view is still to come, and the version of the last. */
  #held: Change[] = [];
  #heldTo: number | undefined;
  readonly #report: (error: unknown) => void;

  constructor(kind: RoomKind<View, Change>, id: string, report: (error: unknown) => void) {
    this.kind = kind;
    this.id = id;
    this.#report = report;
  }

  /** The version to resume from. What is held was shown to nobody, so it has to come again. */
  get version(): number | undefined {
    return this.#shown?.version;
  }

  /** The connection is over: whatever it did not finish is asked for anew. */
  forgetHeld(): void {
    this.isAsked = false;
    this.#held = [];
    this.#heldTo = undefined;
  }

  /** Another person looks: what was shown is not theirs. */
  forgetShown(): void {
    this.forgetHeld();
    this.#shown = undefined;
  }

  add(watcher: Watcher<View, Change>): void {
    this.watchers.add(watcher);
    if (!this.#shown) return;
    // Not at once: the caller has not got the means to stop it yet.
    queueMicrotask(() => {
      if (this.#shown && watcher.isNew && this.watchers.has(watcher))
        this.#show(watcher, this.#shown.view, []);
    });
  }

  /** False when something is missing before this message: only resuming sets that right. */
  take(message: FeedMessage): boolean {
    if (!this.isAsked) return true;
    if (message.type === "view") {
      // Further back than what was shown: the server's data was put back, and what is held never was.
      const isBehind = message.version < (this.#heldTo ?? 0);
      this.#showAll(message.version, this.kind.viewIn(message), isBehind ? [] : this.#held);
      return true;
    }
    if (!this.#shown) return true;
    const last = this.#heldTo ?? this.#shown.version;
    if (message.version <= last) return true;
    if (message.version > last + 1) return false;
    this.#takeChange(message, this.#shown.view);
    if (this.#held.length <= heldMax) return true;
    this.forgetShown();
    return false;
  }

  #takeChange(message: FeedMessage, shown: View): void {
    for (const change of this.kind.changesIn(message)) this.#held.push(change);
    const view = this.kind.after(shown, message, this.#held);
    if (view !== undefined) this.#showAll(message.version, view, this.#held);
    else this.#heldTo = message.version;
  }

  #showAll(version: number, view: View, changes: readonly Change[]): void {
    this.#shown = { version, view };
    this.#held = [];
    this.#heldTo = undefined;
    for (const watcher of [...this.watchers]) {
      // One that was stopped by another's listener hears nothing more.
      if (this.watchers.has(watcher)) this.#show(watcher, view, watcher.isNew ? [] : changes);
    }
  }

  #show(watcher: Watcher<View, Change>, view: View, changes: readonly Change[]): void {
    watcher.isNew = false;
    this.#guard(() => watcher.hear(view, changes));
  }

  refuse(error: OpenseatError): void {
    for (const { onRefused } of [...this.watchers]) this.#guard(() => (onRefused ?? this.#report)(error));
    this.watchers.clear();
  }

  #guard(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#report(error);
    }
  }
}
