import type { JSX } from "preact";
import { SoundIcon } from "../../ui/icons.tsx";
import type { Scene } from "../scene.ts";
import { usePlayed, useSound } from "./sounds.ts";

export function SoundToggle({ sound }: Pick<Scene, "sound">): JSX.Element {
  const { isOn, toggle } = useSound();
  usePlayed(sound, isOn);
  return (
    <button
      class="icon-button"
      type="button"
      aria-pressed={isOn}
      aria-label="Sound"
      title={isOn ? "Sound is on" : "Sound is off"}
      onClick={toggle}
    >
      <SoundIcon isOn={isOn} />
    </button>
  );
}
