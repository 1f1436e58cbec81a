import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { openseat } from "../ui/openseat.ts";

/** Shorter gaps are not shown: most connections recover before anybody would notice. */
const gapMs = 1_200;

/** Warns that the page may be out of date while the connection is lost. */
export function Connection(): JSX.Element {
  const isLost = useLost();
  return (
    <div class="connection" role="status">
      {isLost && (
        <p>
          <span class="dot" aria-hidden="true" />
          Connection lost. Reconnecting…
        </p>
      )}
    </div>
  );
}

function useLost(): boolean {
  const [isLost, setLost] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const refresh = () => {
      clearTimeout(timer);
      if (openseat.connection === "open" || openseat.connection === "idle") setLost(false);
      else timer = setTimeout(() => setLost(true), gapMs);
    };
    refresh();
    const stop = openseat.onConnection(refresh);
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, []);
  return isLost;
}
