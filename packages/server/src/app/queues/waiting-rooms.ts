import type { Millis } from "@openseat/kernel";
import type { Attendant, Pulses } from "../../feed/pulses.ts";
import type { NetworkHashes } from "../network-hashes.ts";
import type { AdmissionProofs } from "./admission-proofs.ts";
import type { EnterLimit } from "./enter-limit.ts";
import { followPlace } from "./following.ts";
import { PlaceIds } from "./place-ids.ts";
import { Positions } from "./positions.ts";
import { type QueueStreams, Queues } from "./queues.ts";
import { Sessions } from "./sessions.ts";
import { WaitPlaces } from "./wait-places.ts";

/** All that can be asked about waiting rooms. */
export interface WaitingRooms {
  readonly queues: Queues;
  readonly positions: Positions;
  readonly sessions: Sessions;
  readonly places: WaitPlaces;
  /** Follows the place of this id over an open connection; undefined for an id that is none. */
  follow(id: string, attendant: Omit<Attendant, "ticket">): { close(): void } | undefined;
}

/** The secret signs tokens too; everything that is signed with it here begins with words that no token has. */
export function waitingRooms(
  streams: QueueStreams,
  proofs: AdmissionProofs,
  pulses: Pulses,
  enterLimit: EnterLimit,
  networks: NetworkHashes,
  secret: string,
  now: () => Millis,
): WaitingRooms {
  const ids = new PlaceIds("position", secret);
  const positions = new Positions({ streams, ids, proofs, enterLimit, networks });
  const sessions = new Sessions({ streams, ids: new PlaceIds("session", secret), proofs, now });
  return {
    queues: new Queues(streams, secret, ids),
    positions,
    sessions,
    places: new WaitPlaces({ streams, ids, positions, sessions, proofs, secret, now }),
    follow(id, attendant) {
      const name = ids.placeOf(id);
      return name && followPlace(streams, pulses, name, attendant);
    },
  };
}
