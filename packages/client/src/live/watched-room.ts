import type { OpenseatError } from "../errors.ts";
import type { FeedMessage } from "./live-link.ts";

/** How the messages of one kind of room become views. */
export interface RoomKind<View, Change> {
  readonly name: "game" | "arena" | "ladder" | "queue" | "conversation";
  /** Whether views differ between viewers. */
  readonly isPersonal: boolean;
  /** Whether watching keeps the viewer's place alive although all viewers get the same view. */
  readonly keepsPlace?: true;
  viewIn(message: FeedMessage): View;
  changesIn(message: FeedMessage): readonly Change[];
  /** The view after a change; undefined if a later message will bring it. `changes` are all since the last view. */
  after(view: View, message: FeedMessage, changes: readonly Change[]): View | undefined;
}

export type WatchListener<View, Change> = (view: View, changes: readonly Change[]) => void;

export interface Watcher<View, Change> {
  readonly onView: WatchListener<View, Change>;
  readonly onRefused: ((error: OpenseatError) => void) | undefined;
  /** Whether it has not received a view yet. */
  isNew: boolean;
}

/** More changes than the server sends to a resuming client; above it, a full view is cheaper. */
const heldMax = 20_000;

/** A watched room: the last view, and the changes received since. */
export class WatchedRoom<View, Change> {
  readonly kind: RoomKind<View, Change>;
  readonly id: string;
  readonly watchers = new Set<Watcher<View, Change>>();
  /** Messages that arrive before the watch request belong to an earlier watch. */
  isAsked = false;
  failures = 0;
  #shown: { readonly version: number; readonly view: View } | undefined;
  /** Changes whose view has not arrived yet, and the version of the last one. */
  #held: Change[] = [];
  #heldTo: number | undefined;
  readonly #report: (error: unknown) => void;

  constructor(kind: RoomKind<View, Change>, id: string, report: (error: unknown) => void) {
    this.kind = kind;
    this.id = id;
    this.#report = report;
  }

  /** The version to resume from. Held changes were not delivered, so the server has to send them again. */
  get version(): number | undefined {
    return this.#shown?.version;
  }

  /** The connection ended: drop undelivered changes, which the next watch sends again. */
  forgetHeld(): void {
    this.isAsked = false;
    this.#held = [];
    this.#heldTo = undefined;
  }

  /** The person changed: the old view is not theirs. */
  forgetShown(): void {
    this.forgetHeld();
    this.#shown = undefined;
  }

  add(watcher: Watcher<View, Change>): void {
    this.watchers.add(watcher);
    if (!this.#shown) return;
    // Call asynchronously: the caller does not have the stop function yet.
    queueMicrotask(() => {
      if (this.#shown && watcher.isNew && this.watchers.has(watcher))
        this.#show(watcher, this.#shown.view, []);
    });
  }

  /** Returns false if messages before this one are missing. The client then has to resume. */
  take(message: FeedMessage): boolean {
    if (!this.isAsked) return true;
    if (message.type === "view") {
      // An older view means that the server was restored from a backup, so the held changes no longer exist.
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
      // A listener may have stopped another one.
      if (this.watchers.has(watcher)) this.#show(watcher, view, watcher.isNew ? [] : changes);
    }
  }

  #show(watcher: Watcher<View, Change>, view: View, changes: readonly Change[]): void {
    watcher.isNew = false;
    this.#guard(() => watcher.onView(view, changes));
  }

  refuse(error: OpenseatError): void {
    for (const { onRefused } of [...this.watchers]) this.#guard(() => (onRefused ?? this.#report)(error));
    this.watchers.clear();
  }

  /** Tells a watcher about a refusal that does not end the watch. */
  tell(error: OpenseatError, watcher: Watcher<View, Change>): void {
    if (this.watchers.has(watcher)) this.#guard(() => watcher.onRefused?.(error));
  }

  #guard(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#report(error);
    }
  }
}
