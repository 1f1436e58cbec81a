import type { JSX } from "preact";
import { Drawing } from "../../ui/icons.tsx";
import type { Command } from "./replaying.ts";
import type { Steps } from "./use-steps.ts";

/** SVG paths of the button icons. */
const icons = {
  first: "M6 5v14M19 5l-9 7 9 7z",
  back: "M16 5l-9 7 9 7z",
  play: "M8 5l11 7-11 7z",
  pause: "M8 5v14M16 5v14",
  forward: "M8 5l9 7-9 7z",
  last: "M18 5v14M5 5l9 7-9 7z",
} as const;

interface Props {
  readonly steps: Steps;
  /** A description of the current step. */
  readonly words: string;
}

export function ReplayControls({ steps: { step, steps, isPlaying, go, run }, words }: Props): JSX.Element {
  const button = (command: Command, name: string, icon: keyof typeof icons, isOff = false) => (
    <button
      class="icon-button"
      type="button"
      aria-label={name}
      title={name}
      aria-disabled={isOff}
      onClick={() => run(command)}
    >
      <Drawing size={22}>
        <path d={icons[icon]} />
      </Drawing>
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
