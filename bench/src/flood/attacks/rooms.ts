import { Crowd } from "../../persons.ts";
import type { Attack } from "../attack.ts";
import { attackerAddress } from "../attackers/attacker.ts";
import { attackerPerson } from "../attackers/attacking-persons.ts";
import { hammer, requestText } from "../attackers/hammer.ts";

type Job = { readonly secret: string };

export const rooms: Attack<Job> = {
  name: "rooms",
  about: "one person makes games as fast as they can, while polite people make one and end it",
  isOnePerson: true,
  prepare: async ({ server }) => ({
    jobs: [{ secret: server.secret }],
    async alsoPolite(ask, guest) {
      const made = await ask(guest, "make a game", "POST", "/api/v1/games", { title: "Ours", maxPlayers: 4 });
      if (made) await ask(guest, "end it", "POST", `/api/v1/games/${made.game.id}/end`);
    },
  }),
  async run(attacker, { secret }) {
    const { token } = attackerPerson(new Crowd(secret), 0);
    const request = requestText("POST", "/api/v1/games", token, '{"title":"Flood","maxPlayers":4}');
    await hammer(attacker, {
      connections: 8,
      inFlight: 8,
      from: () => attackerAddress(1),
      next: () => request,
    });
  },
};
