import type { Channel, Sending } from "@openseat/server";
import type { Faults } from "../faults.ts";
import type { Life, World } from "../world.ts";
import type { outsideChannels } from "./message.ts";

interface Setting {
  readonly world: World;
  readonly faults: Faults;
  /** Somebody reads what was sent. */
  readonly onArrival: (channel: string, place: string, text: string) => void;
}

/**
 * A channel outside, as one process is connected with it. It takes its time; it refuses things, for now or for good; it asks
 * to be left alone for a while; and it may have delivered what it says that it has not. When the process dies, what has
 * not reached anybody yet never does.
 */
export function pagerChannel(
  { world, faults, onArrival }: Setting,
  name: (typeof outsideChannels)[number],
  life: Life,
): Channel {
  const { random } = world;
  const delayMs = () => (faults.strikes("slowSend") ? random.between(100, 2_500) : random.next() * 4);
  const outcome = (place: string, text: string): Sending => {
    if (faults.strikes("sendForGood")) return { failure: "Simulated: nobody has this address any more." };
    if (faults.strikes("sendLater"))
      return { retry: "Simulated: too much at once.", afterMs: random.pick([200, 1_100, 1_500, 4_000, 20_000]) };
    if (faults.strikes("failedSend")) return { retry: "Simulated: it was not taken." };
    onArrival(name, place, text);
    return faults.strikes("lostSendAnswer") ? { retry: "Simulated: the answer was lost." } : "sent";
  };
  return {
    name,
    replies: name === "pager" ? "sent" : "returned",
    send: (place, text) =>
      new Promise((resolve) => {
        life.after(delayMs(), `${name}: a message for ${place}`, () => {
          const sending = outcome(place, text);
          life.after(delayMs(), `${name}: ${inWords(sending)}`, () => resolve(sending));
        });
      }),
  };
}

function inWords(sending: Sending): string {
  if (sending === "sent") return sending;
  return "retry" in sending ? `retry ${sending.afterMs ?? ""}` : "never";
}
