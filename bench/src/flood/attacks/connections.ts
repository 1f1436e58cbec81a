import { connect, type Socket } from "node:net";
import type { Attack } from "../attack.ts";
import { type Attacker, attackerAddress } from "../attackers/attacker.ts";

const connectionsMax = 2_000;
const wanted = 2_500;
const openedAtOnce = 100;
const pauseMs = 20;

export const connections: Attack = {
  name: "connections",
  about: "one address opens 2,500 connections to a server that takes 2,000, and holds them",
  settings: { OPENSEAT_CONNECTIONS_MAX: String(connectionsMax) },
  prepare: async () => ({ jobs: [{}] }),
  async run(attacker) {
    const open = new Set<Socket>();
    while (!attacker.isOver) {
      const missing = Math.min(openedAtOnce, wanted - open.size);
      for (let opened = 0; opened < missing; opened++) hold(attacker, open);
      await attacker.pause(pauseMs);
    }
    attacker.count("held at the end", open.size);
    for (const socket of open) socket.destroy();
  },
};

function hold(attacker: Attacker, open: Set<Socket>): void {
  const socket = connect(attacker.from(attackerAddress(1)));
  open.add(socket);
  socket.on("connect", () => attacker.opened());
  // Without reading, the end of a connection closed by the server would go unnoticed.
  socket.resume();
  socket.on("error", (error) => attacker.cut(error));
  socket.on("close", () => open.delete(socket));
}
