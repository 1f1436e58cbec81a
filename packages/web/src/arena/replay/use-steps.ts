import { useCallback, useEffect, useState } from "preact/hooks";
import { type Command, commandOf, stepAfter, stepMs } from "./replaying.ts";

export interface Steps {
  readonly step: number;
  readonly steps: number;
  readonly isPlaying: boolean;
  readonly go: (step: number) => void;
  readonly run: (command: Command) => void;
}

/** The current step of a replay, with keyboard and playback controls. It opens at the end, which shows the result. */
export function useSteps(steps: number): Steps {
  const [step, setStep] = useState(steps);
  const [isPlaying, setPlaying] = useState(false);
  const go = useCallback((wanted: number) => {
    setPlaying(false);
    setStep(wanted);
  }, []);
  const run = useCallback(
    (command: Command) => {
      if (command !== "play") {
        setPlaying(false);
        setStep((before) => stepAfter(command, before, steps));
        return;
      }
      // Playing at the end starts over.
      if (!isPlaying && step === steps) setStep(0);
      setPlaying(!isPlaying);
    },
    [steps, step, isPlaying],
  );
  useEffect(() => {
    if (!isPlaying) return undefined;
    if (step === steps) {
      setPlaying(false);
      return undefined;
    }
    const timer = setTimeout(() => setStep(step + 1), stepMs);
    return () => clearTimeout(timer);
  }, [isPlaying, step, steps]);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const command = commandOf(event.key);
      if (!command || isTaken(event)) return;
      event.preventDefault();
      run(command);
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [run]);
  return { step, steps, isPlaying, go, run };
}

/** Whether the focused element uses this key itself: a slider, a board, a field or a button. */
function isTaken({ target, key, altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent): boolean {
  if (altKey || ctrlKey || metaKey || shiftKey || !(target instanceof Element)) return true;
  if (target.closest("input, textarea, dialog, [role=grid]")) return true;
  return key === " " && target.closest("button, a") !== null;
}
