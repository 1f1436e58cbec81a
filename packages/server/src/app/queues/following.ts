import type { Attendant, Pulses } from "../../feed/pulses.ts";
import { pulseView } from "../../views/queue-views.ts";
import type { PlaceName } from "./place-ids.ts";
import type { QueueStreams } from "./queues.ts";

/** Follows a place over an open connection, which is a sign of life for as long as it is open (LS1). */
export function followPlace(
  streams: QueueStreams,
  pulses: Pulses,
  { queue, ticket }: PlaceName,
  attendant: Omit<Attendant, "ticket">,
): { close(): void } {
  const hold = streams.hold(queue, ticket);
  // The members of a connection are asked for anew each time: what it has not taken yet changes.
  const attending = pulses.attend(`queue/${queue}`, {
    ticket,
    pulse: (json) => attendant.pulse(json),
    touched: () => attendant.touched(),
    get backlogBytes() {
      return attendant.backlogBytes;
    },
  });
  return {
    close() {
      hold.release();
      attending.close();
    },
  };
}

/** FD3: the pulse of a line as it is now, the same text for everyone. */
export function pulseReader(streams: QueueStreams) {
  return async (stream: string): Promise<string | undefined> => {
    const queue = stream.slice(stream.indexOf("/") + 1);
    const found = await streams.read(queue, (room, version, now) =>
      room ? JSON.stringify({ type: "pulse", queue, ...pulseView(room, version, now) }) : undefined,
    );
    return "value" in found ? found.value : undefined;
  };
}
