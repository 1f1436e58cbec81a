import { OpenseatError, type Person } from "@openseat/client";
import { createContext } from "preact";
import { useCallback, useContext, useEffect, useState } from "preact/hooks";
import { openseat } from "./openseat.ts";

interface GuestInfo {
  readonly me: Person | undefined;
  /** Whether it has been settled who the visitor is; they may still be nobody, when guests are not let in just now. */
  readonly isSettled: boolean;
  /** Why the server makes nobody a guest, in its words; undefined when it does. */
  readonly whyNoGuests: string | undefined;
  /** Who the visitor is; they become a guest if they are nobody yet. */
  readonly ensure: () => Promise<void>;
  readonly rename: (name: string) => Promise<void>;
}

const nobody: GuestInfo = {
  me: undefined,
  isSettled: false,
  whyNoGuests: undefined,
  ensure: async () => {},
  rename: async () => {},
};
export const MeContext = createContext<GuestInfo>(nobody);

/** A first visit becomes a guest with a friendly name, by which others see them. */
export function useGuest(): GuestInfo {
  const [me, setMe] = useState<Person | undefined>(openseat.me);
  const [isSettled, setSettled] = useState(false);
  const [whyNoGuests, setWhyNoGuests] = useState<string>();
  const ensure = useCallback(async () => {
    try {
      setMe(await openseat.guest());
    } catch (error) {
      if (error instanceof OpenseatError && error.code === "auth.guests-off") setWhyNoGuests(error.message);
      throw error;
    }
  }, []);
  const rename = useCallback(async (name: string) => {
    setMe(await openseat.rename(name));
  }, []);
  useEffect(() => {
    // Another tab may take another name, and a token that is not good any more gives another guest.
    const stop = openseat.onPerson(setMe);
    // Whoever cannot become a guest just now can still watch; joining asks again.
    ensure()
      .catch(() => {})
      .finally(() => setSettled(true));
    return stop;
  }, [ensure]);
  return { me, isSettled, whyNoGuests, ensure, rename };
}

export function useMe(): GuestInfo {
  return useContext(MeContext);
}
