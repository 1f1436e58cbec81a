import { useEffect, useState } from "preact/hooks";
import { type Sound, tones } from "./tones.ts";

const storageKey = "openseat.sound";
const loudness = 0.08;

/** Off until somebody turns it on; remembered on this device. */
export function useSound(): { readonly isOn: boolean; readonly toggle: () => void } {
  const [isOn, setOn] = useState(() => remembered());
  function toggle(): void {
    setOn(!isOn);
    remember(!isOn);
    if (!isOn) play("your-turn");
  }
  return { isOn, toggle };
}

export function usePlayed(
  sound: { readonly name: Sound | undefined; readonly number: number },
  isOn: boolean,
): void {
  // Once for each change, also when it sounds the same.
  useEffect(() => {
    if (isOn && sound.name) play(sound.name);
  }, [sound.number]);
}

let context: AudioContext | undefined;

function play(sound: Sound): void {
  context ??= new AudioContext();
  const start = context.currentTime + 0.02;
  for (const { hertz, atSeconds, seconds } of tones[sound]) {
    const oscillator = new OscillatorNode(context, { type: "sine", frequency: hertz });
    const gain = new GainNode(context, { gain: 0 });
    oscillator.connect(gain).connect(context.destination);
    const [from, to] = [start + atSeconds, start + atSeconds + seconds];
    // Ramps, because a tone that starts or ends at once clicks.
    gain.gain.setValueAtTime(0, from);
    gain.gain.linearRampToValueAtTime(loudness, from + 0.015);
    gain.gain.exponentialRampToValueAtTime(0.0001, to);
    oscillator.start(from);
    oscillator.stop(to + 0.02);
  }
}

function remembered(): boolean {
  try {
    return localStorage.getItem(storageKey) === "on";
  } catch {
    // Storage can be forbidden; the toggle then holds for this page.
    return false;
  }
}

function remember(isOn: boolean): void {
  try {
    localStorage.setItem(storageKey, isOn ? "on" : "off");
  } catch {
    // As above.
  }
}
