import { Crowd } from "../../persons.ts";
import type { Attack } from "../attack.ts";
import { attackerAddress } from "../attackers/attacker.ts";
import { attackerPerson } from "../attackers/attacking-persons.ts";
import { forwardedRequestText, hammer, requestText } from "../attackers/hammer.ts";

const prepared = 20_000;
const guestsPath = "/api/v1/guests";
/** 3,000 at once and 3,000 per minute, for at most 70 s. */
const guestsOfOneAddressMax = 6_500;
const behindProxy = { OPENSEAT_TRUST_PROXY: "1" };

export const guests: Attack = {
  name: "guests",
  about: "one address makes guests as fast as it can",
  countsMax: { 201: guestsOfOneAddressMax },
  prepare: async () => ({ jobs: [{}] }),
  run: (attacker) =>
    hammer(attacker, {
      connections: 16,
      inFlight: 16,
      from: () => attackerAddress(1),
      next: () => requestText("POST", guestsPath),
    }),
};

export const guestsIpv6: Attack = {
  name: "guests-ipv6",
  about: "one IPv6 network (/64) behind a trusted proxy makes guests, each from another address",
  settings: behindProxy,
  countsMax: { 201: guestsOfOneAddressMax },
  prepare: async () => ({ jobs: [{}] }),
  async run(attacker) {
    let sent = 0;
    const next = (): string => forwardedRequestText(ipv6Address(sent++), "POST", guestsPath);
    await hammer(attacker, { connections: 16, inFlight: 16, from: () => attackerAddress(1), next });
  },
};

const heaviest = "the heaviest address";

/** More addresses than the server counts at once. The count of an address that never pauses must not be reset. */
export const guestsForwarded: Attack = {
  name: "guests-forwarded",
  about:
    "clients behind a trusted proxy make guests, each from another of 200,000 addresses; one address never stops",
  settings: behindProxy,
  // Creating guests from 100,000 addresses takes this long.
  secondsMin: 20,
  countsMax: { [`201 for ${heaviest}`]: guestsOfOneAddressMax },
  countsMin: { addresses: 100_001 },
  // One counter per address, in each limit that counts addresses.
  keptBytesEach: 50,
  prepare: async () => ({ jobs: [{}] }),
  async run(attacker) {
    let sent = 0;
    await hammer(attacker, {
      connections: 64,
      inFlight: 8,
      from: () => attackerAddress(1),
      next: (connection) =>
        forwardedRequestText(connection === 0 ? "198.51.100.1" : ipv4Address(sent++), "POST", guestsPath),
      countAs: (connection, status) => (connection === 0 ? `${status} for ${heaviest}` : `${status}`),
    });
    attacker.count("addresses", Math.min(sent, forwardedAddresses));
  },
};

const forwardedAddresses = 200_000;

function ipv4Address(number: number): string {
  const index = number % forwardedAddresses;
  return `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
}

function ipv6Address(number: number): string {
  return `2001:db8:0:1:${(number >>> 16).toString(16)}:${(number & 0xffff).toString(16)}::1`;
}

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
