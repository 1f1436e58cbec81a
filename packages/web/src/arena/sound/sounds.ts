import { useEffect, useState } from "preact/hooks";
import { type Sound, tones } from "./tones.ts";

const storageKey = "openseat.sound";
const loudness = 0.08;

/** Off by default. The choice is stored on this device. */
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
  // Depends on the number, not the name: two equal sounds in a row must both play.
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
    // Ramp the volume: a tone that starts or ends abruptly makes a click.
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
    // The browser may block storage. The choice then lasts until the page is closed.
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
