import { Crowd } from "../../persons.ts";
import type { Attack } from "../attack.ts";
import { attackerAddress } from "../attackers/attacker.ts";
import { attackerPerson } from "../attackers/attacking-persons.ts";
import { hammer, requestText } from "../attackers/hammer.ts";

type Job = { readonly secret: string };

const path = "/api/v1/chat/messages";
/** How many messages one request may hold. */
const batch = 100;

export const chat: Attack<Job> = {
  name: "chat",
  about: "one person writes messages as fast as they can, a hundred per request, while polite people chat",
  isOnePerson: true,
  prepare: async ({ server }) => ({
    jobs: [{ secret: server.secret }],
    async alsoPolite(ask, guest) {
      await ask(guest, "chat", "POST", path, { text: "help" });
    },
  }),
  async run(attacker, { secret }) {
    const { token } = attackerPerson(new Crowd(secret), 0);
    let number = 0;
    const next = (): string => {
      const messages = Array.from({ length: batch }, () => ({
        messageId: `flood-${number++}`,
        text: "help",
      }));
      return requestText("POST", path, token, JSON.stringify({ messages }));
    };
    await hammer(attacker, { connections: 8, inFlight: 2, from: () => attackerAddress(1), next });
  },
};
