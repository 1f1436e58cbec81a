import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { describe, test } from "node:test";
import { Front } from "../../src/transport/http/connections/front-server.ts";
import {
  type ConnectionTerms,
  limitConnections,
} from "../../src/transport/http/connections/limit-connections.ts";
import { Metrics } from "../../src/transport/http/metrics.ts";
import { RawClient, requestText } from "../fast-path/raw-client.ts";
import { metric, range, until } from "../support/http.ts";
import { startServer } from "../support/server.ts";

/** A front with limited connections, and the connections that it admits. */
class LimitedFront {
  readonly served: string[] = [];
  readonly front = new Front();
  readonly #metrics = new Metrics();

  constructor(terms: Partial<ConnectionTerms>) {
    this.front.begin = ({ remoteAddress }) => this.served.push(remoteAddress!);
    const usual = { connectionsMax: 100, connectionsPerAddressMax: 20, ipv6PrefixBits: 64 };
    limitConnections(this.front, { ...usual, trusts: () => false, ...terms }, this.#metrics);
  }

  /** Opens this many connections from an address; returns those that are served. */
  connect(remoteAddress: string, count: number): EventEmitter[] {
    const before = this.served.length;
    const sockets = range(count).map(() => {
      const isOpen = { remoteAddress, destroyed: false };
      const socket = Object.assign(new EventEmitter(), isOpen, {
        destroy() {
          socket.destroyed = true;
        },
      });
      this.front.begin(socket as unknown as Socket, undefined as unknown as Server);
      return socket;
    });
    const open = sockets.filter(({ destroyed }) => !destroyed);
    assert.equal(open.length, this.served.length - before, "connections that are not served are closed");
    return open;
  }

  async metric(name: string): Promise<number> {
    return (await this.#metrics.registry.getSingleMetric(name)!.get()).values[0].value;
  }
}

describe("connections, as they come", () => {
  test("[LM9] are counted by address: IPv4 in either form, IPv6 by network", async () => {
    const server = new LimitedFront({});
    assert.equal(server.connect("192.0.2.1", 15).length, 15);
    assert.equal(server.connect("::ffff:192.0.2.1", 15).length, 5);
    assert.equal(server.connect("2001:db8::1", 15).length, 15);
    assert.equal(server.connect("2001:db8::2", 15).length, 5);
    assert.equal(server.connect("2001:db8:0:1::2", 15).length, 15);
    assert.equal(await server.metric("openseat_connections"), 55);
    assert.equal(await server.metric("openseat_connections_refused_total"), 20);
  });

  test("[LM9] closing one makes room for another", () => {
    const server = new LimitedFront({});
    for (const _ of range(3)) {
      const open = server.connect("192.0.2.1", 30);
      assert.equal(open.length, 20);
      for (const socket of open) socket.emit("close");
    }
  });

  test("[LM9] from a trusted proxy have only the total limit", async () => {
    const server = new LimitedFront({ trusts: (address, hop) => hop === 0 && address === "10.0.0.1" });
    assert.equal(server.front.connectionsMax, 100);
    assert.equal(server.connect("10.0.0.1", 80).length, 80);
    assert.equal(server.connect("10.0.0.2", 95).length, 16);
  });
});

describe("connections of one address", () => {
  const half = "GET /healthz HTTP/1.1\r\nHost: test\r\n";
  const uses = ["", half, `${half}Content-Length: 10\r\n\r\n12345`, requestText("GET /docs")];

  test("[LM9] count against its share: idle, with half a head, with half a body, and with an unread response", async () => {
    const server = await startServer(["--connections-max", "200", "--connections-per-address-max", "50"]);
    const { client } = server;
    // Its own connection, which it keeps.
    assert.equal(await metric(client, "openseat_connections"), 1);
    const clients = await Promise.all(range(80).map(() => RawClient.open(server.url)));
    for (const [index, each] of clients.entries()) {
      each.socket.pause();
      each.send(uses[index % uses.length]);
    }
    const refused = () => metric(client, "openseat_connections_refused_total");
    await until("all to be taken or refused", async () => (await refused()) === 31);
    assert.equal(await metric(client, "openseat_connections"), 50);
    for (const each of clients) each.close();
    await until("room again", async () => (await metric(client, "openseat_connections")) === 1);
    await server.stop();
  });
});
