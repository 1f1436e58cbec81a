import { Crowd } from "../../persons.ts";
import type { Attack } from "../attack.ts";
import { attackerAddress } from "../attackers/attacker.ts";
import { attackerPerson } from "../attackers/attacking-persons.ts";
import { hammer, requestText } from "../attackers/hammer.ts";
import type { AlsoPolite } from "../stage/polite-client.ts";

type Job = { readonly secret: string };

const path = "/api/v1/chat/messages";
/** Messages per request. */
const batch = 100;

const politeChat: AlsoPolite = async (ask, guest) => {
  await ask(guest, "chat", "POST", path, { text: "help" });
};

export const chat: Attack<Job> = {
  name: "chat",
  about: "one person writes messages as fast as they can, a hundred per request, while polite people chat",
  isOnePerson: true,
  prepare: async ({ server }) => ({
    jobs: [{ secret: server.secret }],
    alsoPolite: politeChat,
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

const talkerConnections = 64;

/** The server keeps at most 100,000 conversations. New ones must not keep polite people from talking. */
export const chatPeople: Attack<Job> = {
  name: "chat-people",
  about: "new people write one message each as fast as they can, from 64 addresses, while polite people chat",
  // A conversation in memory. It is evicted after five quiet minutes; at most 100,000 rooms stay.
  keptBytesEach: 3_000,
  prepare: async ({ server }) => ({ jobs: [{ secret: server.secret }], alsoPolite: politeChat }),
  async run(attacker, { secret }) {
    const crowd = new Crowd(secret);
    let number = 0;
    const next = (): string =>
      requestText("POST", path, attackerPerson(crowd, number).token, messageText(number++, "help"));
    const from = (connection: number): string => attackerAddress(1 + connection);
    await hammer(attacker, { connections: talkerConnections, inFlight: 4, from, next });
  },
};

/**
 * The longest allowed message. A parser that looks for marks at the end of a word is slow with many of them in the
 * middle.
 */
const marks = `rock ${":".repeat(993)}x`;

export const chatMarks: Attack<Job> = {
  name: "chat-marks",
  about: "200 people at one address write messages that are slow to parse, while polite people chat",
  prepare: async ({ server }) => ({ jobs: [{ secret: server.secret }], alsoPolite: politeChat }),
  async run(attacker, { secret }) {
    const crowd = new Crowd(secret);
    let number = 0;
    const next = (): string =>
      requestText("POST", path, attackerPerson(crowd, number % 200).token, messageText(number++, marks));
    await hammer(attacker, { connections: 64, inFlight: 2, from: () => attackerAddress(1), next });
  },
};

function messageText(number: number, text: string): string {
  return `{"messageId":"flood-${number}","text":"${text}"}`;
}
