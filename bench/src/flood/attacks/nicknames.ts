import { Crowd } from "../../persons.ts";
import type { Attack } from "../attack.ts";
import { attackerAddress } from "../attackers/attacker.ts";
import { attackerPerson } from "../attackers/attacking-persons.ts";
import { hammer, requestText } from "../attackers/hammer.ts";
import { politeDuels } from "../stage/polite-duels.ts";

const connections = 64;

type Job = { readonly secret: string };

const peopleMax = 100_000;

/** Fills the directory with nicknames. New ones must not displace active players. */
export const nicknames: Attack<Job> = {
  name: "nicknames",
  about:
    "new people take nicknames as fast as they can, from 64 addresses, while polite pairs duel by theirs",
  // Taking 100,000 nicknames takes this long.
  secondsMin: 20,
  countsMin: { 200: peopleMax },
  // A person in the directory, with the eviction order. Eviction keeps the directory from growing further.
  keptBytesEach: 750,
  keptMax: peopleMax,
  prepare: async (stage) => ({
    jobs: [{ secret: stage.server.secret }],
    alsoPolite: await politeDuels(stage),
  }),
  async run(attacker, { secret }) {
    const crowd = new Crowd(secret);
    let named = 0;
    const next = (): string => {
      const number = named++;
      const body = `{"nickname":"flood${number}"}`;
      return requestText("PUT", "/api/v1/people/me/nickname", attackerPerson(crowd, number).token, body);
    };
    const from = (connection: number): string => attackerAddress(1 + connection);
    await hammer(attacker, { connections, inFlight: 4, from, next });
  },
};
