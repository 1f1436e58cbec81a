import { useCallback, useRef, useState } from "preact/hooks";
import { notifyError } from "../notices.tsx";

interface Action {
  readonly isBusy: boolean;
  /** Does nothing while an action is running, so that a double click acts once. */
  readonly run: (work: () => Promise<unknown>) => void;
}

/** Runs one action at a time, and shows a notice when it fails. */
export function useAction(): Action {
  const [isBusy, setBusy] = useState(false);
  const isRunning = useRef(false);
  const run = useCallback((work: () => Promise<unknown>) => {
    if (isRunning.current) return;
    isRunning.current = true;
    setBusy(true);
    work()
      .catch(notifyError)
      .then(() => {
        isRunning.current = false;
        setBusy(false);
      });
  }, []);
  return { isBusy, run };
}
