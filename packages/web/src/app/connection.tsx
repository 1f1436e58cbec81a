import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { openseat } from "../ui/openseat.ts";

/** A short gap is nobody's business. */
const gapMs = 1_200;

/** Says that what is shown may be old, for as long as that is so. */
export function Connection(): JSX.Element {
  const isLost = useLost();
  return (
    <div class="connection" role="status">
      {isLost && (
        <p>
          <span class="dot" aria-hidden="true" />
          Connection lost. Trying again…
        </p>
      )}
    </div>
  );
}

function useLost(): boolean {
  const [isLost, setLost] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      clearTimeout(timer);
      if (openseat.connection === "open" || openseat.connection === "idle") setLost(false);
      else timer = setTimeout(() => setLost(true), gapMs);
    };
    look();
    const stop = openseat.onConnection(look);
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, []);
  return isLost;
}
