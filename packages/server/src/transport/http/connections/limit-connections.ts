import type { Socket } from "node:net";
import type { TrustsProxy } from "../../../config/trusted-proxies.ts";
import { addressKey } from "../../limits/address-key.ts";
import { ConcurrencyLimit } from "../../limits/concurrency.ts";
import type { Metrics } from "../metrics.ts";
import type { Front } from "./front-server.ts";

export interface ConnectionTerms {
  readonly connectionsMax: number;
  readonly connectionsPerAddressMax: number;
  readonly ipv6PrefixBits: number;
  readonly trusts: TrustsProxy;
}

/** LM9: closes excess connections before they begin. */
export function limitConnections(front: Front, terms: ConnectionTerms, metrics: Metrics): void {
  const { connectionsMax, connectionsPerAddressMax, ipv6PrefixBits, trusts } = terms;
  const limit = new ConcurrencyLimit({
    max: connectionsMax,
    perAddressMax: connectionsPerAddressMax,
    reserved: Math.floor(connectionsMax / 10),
  });
  const { begin } = front;
  front.connectionsMax = connectionsMax;
  front.begin = (socket: Socket, server) => {
    const { remoteAddress = "" } = socket;
    // All clients share a trusted proxy's address, so the limit per address does not apply to it.
    const address = trusts(remoteAddress, 0) ? undefined : addressKey(remoteAddress, ipv6PrefixBits);
    if (limit.take(address) !== "taken") {
      front.dropped++;
      socket.destroy();
      return;
    }
    socket.once("close", () => limit.release(address));
    begin(socket, server);
  };
  metrics.gauge("openseat_connections", "Open connections.", () => limit.total);
  metrics.count(
    "openseat_connections_refused_total",
    "Connections closed immediately because their address, or the whole server, had too many.",
    () => front.dropped,
  );
}
