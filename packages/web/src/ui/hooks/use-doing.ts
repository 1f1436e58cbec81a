import { useCallback, useRef, useState } from "preact/hooks";
import { tell } from "../notices.tsx";

interface Doing {
  readonly isBusy: boolean;
  /** Runs it, unless something is still being done: the second click of two does nothing. */
  readonly run: (work: () => Promise<unknown>) => void;
}

/** One thing at a time; people are told of what was refused. */
export function useDoing(): Doing {
  const [isBusy, setBusy] = useState(false);
  const isRunning = useRef(false);
  const run = useCallback((work: () => Promise<unknown>) => {
    if (isRunning.current) return;
    isRunning.current = true;
    setBusy(true);
    work()
      .catch(tell)
      .then(() => {
        isRunning.current = false;
        setBusy(false);
      });
  }, []);
  return { isBusy, run };
}
