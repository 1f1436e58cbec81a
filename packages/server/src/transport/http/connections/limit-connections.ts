import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { TrustsProxy } from "../../../config/trusted-proxies.ts";
import { addressKey } from "../../limits/address-key.ts";
import { ConcurrencyLimit } from "../../limits/concurrency.ts";
import type { Metrics } from "../metrics.ts";

export interface ConnectionTerms {
  readonly connectionsMax: number;
  readonly connectionsPerAddressMax: number;
  readonly ipv6PrefixBits: number;
  readonly trusts: TrustsProxy;
  /** Connections that count elsewhere, such as those of the operators' port. */
  readonly isApart: (socket: Socket) => boolean;
}

/** Puts the limits on connections before everything that listens for them until now. */
export function limitConnections(server: Server, terms: ConnectionTerms, metrics: Metrics): void {
  const { connectionsMax, connectionsPerAddressMax, ipv6PrefixBits, trusts, isApart } = terms;
  const limit = new ConcurrencyLimit({
    max: connectionsMax,
    perAddressMax: connectionsPerAddressMax,
    reserved: Math.floor(connectionsMax / 10),
  });
  let refused = 0;
  const noteRefused = () => {
    refused++;
  };
  server.maxConnections = connectionsMax;
  server.on("drop", noteRefused);
  const listeners = server.listeners("connection") as ((this: Server, socket: Socket) => void)[];
  server.removeAllListeners("connection");
  const passOn = (socket: Socket) => {
    for (const listener of listeners) listener.call(server, socket);
  };
  server.on("connection", (socket) => {
    if (isApart(socket)) {
      passOn(socket);
      return;
    }
    const { remoteAddress = "" } = socket;
    // Everybody comes through a trusted proxy: it has no share of its own.
    const address = trusts(remoteAddress, 0) ? undefined : addressKey(remoteAddress, ipv6PrefixBits);
    if (limit.take(address) !== "taken") {
      noteRefused();
      socket.destroy();
      return;
    }
    socket.once("close", () => limit.release(address));
    passOn(socket);
  });
  metrics.gauge("openseat_connections", "Open connections.", () => limit.total);
  metrics.count(
    "openseat_connections_refused_total",
    "Connections that were closed at once: their address, or all together, had too many.",
    () => refused,
  );
}
