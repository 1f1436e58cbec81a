import { Crowd } from "../../persons.ts";
import type { Attack } from "../attack.ts";
import { attackerAddress } from "../attackers/attacker.ts";
import { attackerPerson } from "../attackers/attacking-persons.ts";
import { hammer, requestText } from "../attackers/hammer.ts";
import type { Guest, Stage } from "../stage/stage.ts";

const identities = 2_000;
const duelsEach = 50;
const connections = 200;
const ownIdentities = identities / connections;

type Job = { readonly secret: string };

/** Open duels are kept for a week: whoever fills all places keeps everybody from playing for as long. */
export const duels: Attack<Job> = {
  name: "duels",
  about: "2,000 identities open 50 duels each that are never played, while polite pairs duel",
  // Opening 100,000 duels, the old limit, takes this long.
  secondsMin: 25,
  async prepare(stage) {
    const nicknames = await namePoliteGuests(stage);
    return {
      jobs: [{ secret: stage.server.secret }],
      async alsoPolite(ask, guest, peer) {
        const challenge = { opponent: nicknames.get(peer.id), throw: "rock" };
        const told = await ask(guest, "challenge", "POST", "/api/v1/duels", challenge);
        if (told) await ask(peer, "throw", "POST", `/api/v1/duels/${told.duel.id}/throw`, { throw: "paper" });
      },
    };
  },
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

/** Nicknames first, then challenges: of the next identity, the one after it, and so on. */
function* requestsOf(crowd: Crowd, connection: number): Generator<string, undefined> {
  const mine = Array.from({ length: ownIdentities }, (_, index) => connection * ownIdentities + index);
  const tokens = mine.map((number) => attackerPerson(crowd, number).token);
  for (const [index, number] of mine.entries())
    yield requestText("PUT", "/api/v1/people/me/nickname", tokens[index], nickname(number));
  for (let step = 1; ; step++)
    for (const [index, number] of mine.entries()) {
      // More than each may have open, so that they go on trying.
      const opponent = (number + 1 + (step % (2 * duelsEach))) % identities;
      yield requestText("POST", "/api/v1/duels", tokens[index], `{"opponent":"flood${opponent}"}`);
    }
}

function nickname(number: number): string {
  return `{"nickname":"flood${number}"}`;
}

async function namePoliteGuests(stage: Stage): Promise<Map<Guest["id"], string>> {
  const nicknames = new Map(stage.guests.map(({ id }, number) => [id, `polite${number}`]));
  await Promise.all(
    stage.guests.map(({ id, token }) =>
      stage.ask(token, "PUT", "/api/v1/people/me/nickname", { nickname: nicknames.get(id) }),
    ),
  );
  return nicknames;
}
