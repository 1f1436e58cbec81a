import { OpenseatError, type Person } from "@openseat/client";
import { createContext } from "preact";
import { useCallback, useContext, useEffect, useState } from "preact/hooks";
import { openseat } from "./openseat.ts";

interface GuestInfo {
  readonly me: Person | undefined;
  /** Whether the first attempt to become a guest has finished. `me` is still undefined if it failed. */
  readonly isSettled: boolean;
  /** The server's message if it does not allow guests; undefined if it does. */
  readonly guestsOffMessage: string | undefined;
  /** Makes the visitor a guest if they have no identity yet. */
  readonly ensure: () => Promise<void>;
  readonly rename: (name: string) => Promise<void>;
}

const nobody: GuestInfo = {
  me: undefined,
  isSettled: false,
  guestsOffMessage: undefined,
  ensure: async () => {},
  rename: async () => {},
};
export const MeContext = createContext<GuestInfo>(nobody);

/** Makes a first-time visitor a guest with a friendly name. */
export function useGuest(): GuestInfo {
  const [me, setMe] = useState<Person | undefined>(openseat.me);
  const [isSettled, setSettled] = useState(false);
  const [guestsOffMessage, setGuestsOffMessage] = useState<string>();
  const ensure = useCallback(async () => {
    try {
      setMe(await openseat.guest());
    } catch (error) {
      if (error instanceof OpenseatError && error.code === "auth.guests-off")
        setGuestsOffMessage(error.message);
      throw error;
    }
  }, []);
  const rename = useCallback(async (name: string) => {
    setMe(await openseat.rename(name));
  }, []);
  useEffect(() => {
    // The person changes when another tab renames the guest, or when an expired token is replaced.
    const stop = openseat.onPerson(setMe);
    // Ignore a failure: visitors can watch without being a guest, and joining tries again.
    ensure()
      .catch(() => {})
      .finally(() => setSettled(true));
    return stop;
  }, [ensure]);
  return { me, isSettled, guestsOffMessage, ensure, rename };
}

export function useMe(): GuestInfo {
  return useContext(MeContext);
}
