import type { EnterOptions, Openseat, Place, PlaceState, QueueHandle, QueueSession } from "@openseat/client";
import { useMemo } from "react";
import { useOpenseat } from "./context.ts";
import { nothingYet, type Shared, Store, useStore } from "./store.ts";

export interface QueueSeen extends Shared {
  /** This person's place, also after it is over; undefined if they have not entered. */
  readonly place: PlaceState | undefined;
  /** The session, once the admission is claimed. */
  readonly session: QueueSession | undefined;
}

export interface QueueActions {
  /** Enters the line. Entering again returns the same place, or a new one if it is over. */
  enter(options?: EnterOptions): Promise<Place | undefined>;
  /** Claims the admission. */
  claim(): Promise<QueueSession | undefined>;
  /** Ends the session because the visit is done. */
  complete(): Promise<void>;
  /** Gives up the place, or ends the session. */
  leave(): Promise<void>;
  readonly handle: QueueHandle;
}

const initial: QueueSeen = { ...nothingYet, place: undefined, session: undefined };

/** This person's place in a queue. It follows itself while the component is mounted, and is found again after a reload. */
export function useQueue(id: string): QueueSeen & QueueActions {
  const openseat = useOpenseat();
  const { store, actions } = useMemo(() => queueOf(openseat, id), [openseat, id]);
  return { ...useStore(store), ...actions };
}

function queueOf(openseat: Openseat, id: string) {
  const handle = openseat.queue(id);
  let place: Place | undefined;
  const store = new Store<QueueSeen>(initial, () => {
    handle.place().then(resume, store.fail);
    return () => {
      place?.stop();
      place = undefined;
    };
  });

  /** What the person has entered in the meantime is newer. */
  function resume(found: Place | undefined): void {
    if (place) found?.stop();
    else if (found) follow(found);
    else store.receive({ place: undefined, session: undefined });
  }

  function follow(next: Place): void {
    // A component that is gone follows nothing.
    if (!store.isStarted) {
      next.stop();
      return;
    }
    place?.stop();
    place = next;
    const show = () => {
      if (place !== next) return;
      if (next.error) store.fail(next.error);
      store.set({ place: next.state, isLoading: false });
    };
    next.onChange(show);
    store.receive({ place: next.state, session: undefined });
    // After a reload, claiming again returns the session. One that was claimed elsewhere is not known here.
    if (next.status === "ACTIVE")
      next.claim().then((session) => place === next && store.set({ session }), noSession);
  }

  return { store, actions: actionsOf(store, handle, () => place, follow) };
}

function noSession(): void {}

function actionsOf(
  store: Store<QueueSeen>,
  handle: QueueHandle,
  place: () => Place | undefined,
  follow: (entered: Place) => void,
): QueueActions {
  return {
    enter: ({ metadata } = {}) =>
      store.act(async () => {
        const entered = await handle.enter({ metadata });
        follow(entered);
        return entered;
      }),
    claim: () =>
      store.act(async () => {
        const session = await place()?.claim();
        if (session) store.set({ session });
        return session;
      }),
    complete: () => store.act(async () => store.get().session?.complete()),
    leave: () => store.act(async () => place()?.leave()),
    handle,
  };
}
