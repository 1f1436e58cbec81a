import type { Channel, Sending } from "@openseat/server";
import type { Faults } from "../faults.ts";
import type { Life } from "../world.ts";
import type { outsideChannels } from "./message.ts";

interface Setting {
  readonly faults: Faults;
  readonly life: Life;
  /** Called when a person reads a delivered text. */
  readonly onArrival: (place: string, text: string) => void;
  /** A place that nothing reaches, without any error. */
  readonly lostPlace: string | undefined;
}

/**
 * An external channel, as one process sees it. It is slow, refuses messages for now or for good, asks for pauses,
 * and may deliver a message and still report failure. Messages not delivered when the process dies are lost.
 */
export function pagerChannel(
  name: (typeof outsideChannels)[number],
  { faults, life, onArrival, lostPlace }: Setting,
): Channel {
  const { random } = life.world;
  const delayMs = () => (faults.strikes("slowSend") ? random.between(100, 2_500) : random.next() * 4);
  const outcome = (place: string, text: string): Sending => {
    if (place === lostPlace) return { retry: "Simulated: the channel cannot be reached.", afterMs: 1_010 };
    if (faults.strikes("sendForGood")) return { failure: "Simulated: the address no longer exists." };
    if (faults.strikes("sendLater")) {
      const afterMs = random.pick([200, 1_100, 1_500, 4_000, 20_000]);
      return { retry: "Simulated: too many messages.", afterMs };
    }
    if (faults.strikes("failedSend")) return { retry: "Simulated: the message was not accepted." };
    onArrival(place, text);
    return faults.strikes("lostSendAnswer") ? { retry: "Simulated: the answer was lost." } : "sent";
  };
  return {
    name,
    replies: name === "pager" ? "sent" : "returned",
    send: (place, text) =>
      new Promise((resolve) => {
        life.after(delayMs(), `${name}: a message for ${place}`, () => {
          const sending = outcome(place, text);
          life.after(delayMs(), `${name}: ${JSON.stringify(sending)}`, () => resolve(sending));
        });
      }),
  };
}
