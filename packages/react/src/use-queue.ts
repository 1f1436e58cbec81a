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
  /** Counts the persons looked up, so that a late answer about the last one is not shown to the next. */
  let lookups = 0;
  const store = new Store<QueueSeen>(initial, () => {
    void lookUp();
    const stopPerson = openseat.onPerson((_, change) => {
      if (change === "renamed") return;
      // The place of the person before is not theirs.
      if (place) store.set({ place: undefined, session: undefined, isLoading: true });
      void lookUp();
    });
    return () => {
      stopPerson();
      forget();
    };
  });

  /** Finds this person's place. */
  async function lookUp(): Promise<void> {
    forget();
    const lookup = lookups;
    try {
      const found = await handle.place();
      // What the person has entered in the meantime is newer.
      if (lookup !== lookups || place) found?.stop();
      else if (found) follow(found);
      else store.receive({ place: undefined, session: undefined });
    } catch (error) {
      if (lookup === lookups) store.fail(error);
    }
  }

  function forget(): void {
    lookups++;
    place?.stop();
    place = undefined;
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
        const claimed = place();
        const session = await claimed?.claim();
        if (session && place() === claimed) store.set({ session });
        return session;
      }),
    complete: () => store.act(async () => store.get().session?.complete()),
    leave: () => store.act(async () => place()?.leave()),
    handle,
  };
}
