import { Crowd } from "../../persons.ts";
import type { Attack } from "../attack.ts";
import { attackerAddress } from "../attackers/attacker.ts";
import { attackerPerson } from "../attackers/attacking-persons.ts";
import { hammer, keyedRequestText, requestText } from "../attackers/hammer.ts";
import { politeDuels } from "../stage/polite-duels.ts";

const identities = 2_000;
const duelsEach = 50;
const connections = 200;
const ownIdentities = identities / connections;

type Job = { readonly secret: string };

/** Open duels are kept for a week: filling all of them would keep everyone else from playing for that long. */
export const duels: Attack<Job> = {
  name: "duels",
  about: "2,000 identities open 50 duels each that are never played, while polite pairs duel",
  // Opening 100,000 duels, the former limit, takes this long.
  secondsMin: 25,
  // An open duel. There are at most 100,000.
  keptBytesEach: 700,
  prepare: async (stage) => ({
    jobs: [{ secret: stage.server.secret }],
    alsoPolite: await politeDuels(stage),
  }),
  async run(attacker, { secret }) {
    const crowd = new Crowd(secret);
    const next = Array.from({ length: connections }, (_, number) => requestsOf(crowd, number));
    await hammer(attacker, {
      connections,
      inFlight: 2,
      from: (number) => attackerAddress(1 + number),
      next: (number) => next[number].next().value,
    });
  },
};

/** Takes nicknames first, then challenges the next identity, the one after it, and so on. */
function* requestsOf(crowd: Crowd, connection: number): Generator<string, undefined> {
  const mine = Array.from({ length: ownIdentities }, (_, index) => connection * ownIdentities + index);
  const tokens = mine.map((number) => attackerPerson(crowd, number).token);
  for (const [index, number] of mine.entries())
    yield requestText("PUT", "/api/v1/people/me/nickname", tokens[index], nickname(number));
  let asked = 0;
  for (let step = 1; ; step++)
    for (const [index, number] of mine.entries()) {
      // More challenges than each person may have open, so that the attempts continue.
      const opponent = (number + 1 + (step % (2 * duelsEach))) % identities;
      const body = `{"opponent":"flood${opponent}"}`;
      yield keyedRequestText(`duel-${++asked}`, "POST", "/api/v1/duels", tokens[index], body);
    }
}

function nickname(number: number): string {
  return `{"nickname":"flood${number}"}`;
}
