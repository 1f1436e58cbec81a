import { Crowd } from "../../persons.ts";
import type { Attack } from "../attack.ts";
import { attackerAddress } from "../attackers/attacker.ts";
import { attackerPerson } from "../attackers/attacking-persons.ts";
import { hammer, requestText } from "../attackers/hammer.ts";

const prepared = 20_000;

export const guests: Attack = {
  name: "guests",
  about: "one address makes guests as fast as it can",
  prepare: async () => ({ jobs: [{}] }),
  run: (attacker) =>
    hammer(attacker, {
      connections: 16,
      inFlight: 16,
      from: () => attackerAddress(1),
      next: () => requestText("POST", "/api/v1/guests"),
    }),
};

type Job = { readonly secret: string; readonly queue: string };

export const enter: Attack<Job> = {
  name: "enter",
  about: "20,000 people made beforehand enter the waiting room of polite people at once, from one address",
  prepare: async ({ server, queue }) => ({ jobs: [{ secret: server.secret, queue }] }),
  async run(attacker, { secret, queue }) {
    const crowd = new Crowd(secret);
    const requests = Array.from({ length: prepared }, (_, number) =>
      requestText("POST", `/api/v1/queues/${queue}/positions`, attackerPerson(crowd, number).token),
    );
    let sent = 0;
    const next = (): string => requests[sent++ % requests.length];
    await hammer(attacker, { connections: 64, inFlight: 8, from: () => attackerAddress(1), next });
  },
};
