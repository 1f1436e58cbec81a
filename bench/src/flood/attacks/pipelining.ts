import { connect, type Socket } from "node:net";
import type { Attack } from "../attack.ts";
import { type Attacker, attackerAddress } from "../attackers/attacker.ts";
import { requestText } from "../attackers/hammer.ts";

const connections = 8;
const requestsPerConnection = 1_700;
const beforeReconnectMs = 100;

type Job = { readonly paths: readonly string[]; readonly readers: number };

/**
 * Pipelines many requests on each connection. The first few connections read their answers, the others never do.
 */
async function pipeline(attacker: Attacker, { paths, readers }: Job): Promise<void> {
  const open = new Set<Socket>();
  const start = (number: number): void => {
    const socket = connect(attacker.from(attackerAddress(1)));
    open.add(socket);
    if (number < readers) socket.resume();
    else socket.pause();
    socket.on("connect", () => {
      attacker.opened();
      attacker.count("volleys");
      const requests = Array.from({ length: requestsPerConnection }, (_, index) =>
        requestText("GET", paths[(number + index) % paths.length]),
      );
      socket.write(requests.join(""));
    });
    let failure: Error | undefined;
    socket.on("error", (error) => {
      failure = error;
    });
    socket.on("close", () => {
      open.delete(socket);
      attacker.cut(failure);
      void attacker.pause(beforeReconnectMs).then(() => attacker.isOver || start(number));
    });
  };
  for (let number = 0; number < connections; number++) start(number);
  await attacker.over();
  for (const socket of open) socket.destroy();
}

export const pipelining: Attack<Job> = {
  name: "pipelining",
  about: "8 connections with 1,700 pipelined requests for /docs each, whose answers are never read",
  prepare: async () => ({ jobs: [{ paths: ["/docs"], readers: 0 }] }),
  run: pipeline,
};

export const pipeliningMixed: Attack<Job> = {
  name: "pipelining-mixed",
  about: "the same with /openapi.json, /docs and lists; half of the connections read their answers",
  prepare: async () => ({
    jobs: [
      { paths: ["/openapi.json", "/docs", "/api/v1/games?limit=500", "/api/v1/queues/polite"], readers: 4 },
    ],
  }),
  run: pipeline,
};
