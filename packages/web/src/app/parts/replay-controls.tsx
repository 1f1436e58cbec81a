import type { JSX } from "preact";
import type { Command } from "../logic/replaying.ts";
import { ControlIcon } from "./icons.tsx";
import type { Steps } from "./use-steps.ts";

interface Props {
  readonly steps: Steps;
  /** What the step is. */
  readonly words: string;
}

export function ReplayControls({ steps: { step, steps, isPlaying, go, run }, words }: Props): JSX.Element {
  const button = (
    command: Command,
    name: string,
    icon: Parameters<typeof ControlIcon>[0]["name"],
    isOff = false,
  ) => (
    <button
      class="icon-button"
      type="button"
      aria-label={name}
      title={name}
      aria-disabled={isOff}
      onClick={() => run(command)}
    >
      <ControlIcon name={icon} />
    </button>
  );
  return (
    <div class="controls">
      <p class="step" role="status" aria-live={isPlaying ? "off" : "polite"}>
        {words}
      </p>
      <input
        type="range"
        min={0}
        max={steps}
        value={step}
        aria-label="Move"
        aria-valuetext={`${step} of ${steps}: ${words}`}
        onInput={(event) => go(Number(event.currentTarget.value))}
      />
      <div class="buttons">
        {button("first", "To the beginning", "first", step === 0)}
        {button("back", "One move back", "back", step === 0)}
        {isPlaying ? button("play", "Pause", "pause") : button("play", "Play", "play")}
        {button("forward", "One move forward", "forward", step === steps)}
        {button("last", "To the end", "last", step === steps)}
      </div>
    </div>
  );
}
