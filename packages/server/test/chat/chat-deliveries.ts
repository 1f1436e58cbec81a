import assert from "node:assert/strict";
import { type Answer, Client, type Json } from "../support/http.ts";
import type { Message, Who } from "./chat-script.ts";

/** How the people of the script are identified: some have a token, a service speaks for the others. */
export interface Cast {
  readonly ids: readonly string[];
  readonly tokens: readonly string[];
  readonly serviceKey: string;
  isGuest(who: Who): boolean;
}

interface Parcel {
  readonly messages: readonly Message[];
  /** The first deliveries, as far as is known. */
  readonly firsts: ReadonlySet<Message>;
  readonly asBatch: boolean;
}

/** Notified of the progress. */
interface Witness {
  sending?(count: number): void;
  answered?(replies: readonly string[]): void;
}

const connections = 8;

/**
 * Delivers a script: each person's messages in order, otherwise in any order; each message as often as it says, and again if its
 * response was lost. A repeated message must get the same reply.
 */
export class Deliveries {
  readonly replies = new Map<string, string>();
  /** Deliveries with a response, and those without. */
  answered = 0;
  lost = 0;
  readonly #cast: Cast;
  readonly #chance: () => number;
  /** By person: messages without a response yet. */
  readonly #unanswered: Message[][];
  /** People with a message in flight. */
  readonly #busy = new Set<Who>();
  /** Messages to deliver once more. */
  readonly #again: Message[] = [];
  /** Messages whose repetitions are on the list above. */
  readonly #repeated = new Set<Message>();
  #wake = () => {};

  constructor(script: readonly Message[], cast: Cast, chance: () => number) {
    this.#cast = cast;
    this.#chance = chance;
    this.#unanswered = cast.ids.map((_, who) => script.filter(({ by }) => by === who));
  }

  /** A lower bound of the remaining deliveries. */
  get left(): number {
    const firsts = this.#unanswered.flat().reduce((sum, { deliveries }) => sum + deliveries, 0);
    return firsts + this.#again.length;
  }

  /** Delivers over its own connections until everything is delivered or the server is gone. */
  async run(url: string, witness: Witness = {}): Promise<void> {
    const clients = Array.from({ length: connections }, () => new Client(url, 1));
    try {
      await Promise.all(clients.map((client) => this.#carry(client, witness)));
    } finally {
      for (const client of clients) client.close();
    }
  }

  async #carry(client: Client, witness: Witness): Promise<void> {
    for (;;) {
      const parcel = this.#next();
      if (parcel === undefined) {
        if (this.left === 0) return;
        await new Promise<void>((resolve) => {
          const others = this.#wake;
          this.#wake = () => {
            others();
            resolve();
          };
        });
        continue;
      }
      witness.sending?.(parcel.messages.length);
      try {
        const replies = await this.#send(client, parcel);
        witness.answered?.(replies);
        this.#note(parcel, replies);
      } catch (error) {
        if (!isLost(error)) throw error;
        this.#putBack(parcel);
        return;
      } finally {
        for (const { by } of parcel.firsts) this.#busy.delete(by);
        const wake = this.#wake;
        this.#wake = () => {};
        wake();
      }
    }
  }

  #next(): Parcel | undefined {
    const idle = [...this.#unanswered.keys()].filter(
      (who) => this.#unanswered[who].length > 0 && !this.#busy.has(who),
    );
    const isRepeat = this.#again.length > 0 && (idle.length === 0 || this.#chance() < 0.5);
    if (isRepeat) return { messages: this.#repeats(1), firsts: new Set(), asBatch: false };
    if (idle.length === 0) return undefined;
    const who = idle[Math.floor(this.#chance() * idle.length)];
    const { isGuest } = this.#cast;
    const parcel = isGuest(who) ? this.#single(who) : this.#batch(idle.filter((each) => !isGuest(each)));
    for (const { by } of parcel.firsts) this.#busy.add(by);
    return parcel;
  }

  #single(who: Who): Parcel {
    const [message] = this.#unanswered[who];
    this.#repeat(message, 0.5);
    return { messages: [message], firsts: new Set([message]), asBatch: false };
  }

  /** The next messages of some people, and some repetitions. */
  #batch(speakers: readonly Who[]): Parcel {
    const some = speakers.filter(() => this.#chance() < 0.6);
    const firsts = (some.length > 0 ? some : speakers.slice(0, 1)).flatMap((who) => {
      const [next, ...more] = this.#unanswered[who].slice(0, 1 + Math.floor(this.#chance() * 3));
      // No repetition of these may come first: it would overtake the first delivery.
      this.#repeat(next, 0.5);
      return [next, ...more];
    });
    const repeats = this.#repeats(Math.floor(this.#chance() * 3));
    const twice = firsts.filter(() => this.#chance() < 0.1);
    return { messages: [...firsts, ...repeats, ...twice], firsts: new Set(firsts), asBatch: true };
  }

  #repeats(count: number): Message[] {
    return Array.from({ length: Math.min(count, this.#again.length) }, () => {
      const [message] = this.#again.splice(Math.floor(this.#chance() * this.#again.length), 1);
      return message;
    });
  }

  /** Adds its repetitions to the list, now with this chance or else later. */
  #repeat(message: Message, chance: number): void {
    if (this.#repeated.has(message) || this.#chance() >= chance) return;
    this.#repeated.add(message);
    for (let count = 1; count < message.deliveries; count++) this.#again.push(message);
  }

  async #send(client: Client, { messages, asBatch }: Parcel): Promise<readonly string[]> {
    if (!asBatch) return [await sayOne(client, this.#cast, messages[0])];
    const { ids, serviceKey: token } = this.#cast;
    const body = {
      messages: messages.map(({ id: messageId, by, text }) => ({ messageId, text, userId: ids[by] })),
    };
    const answer = await client.post("/api/v1/chat/messages", { token, body });
    const { replies, batchItemFailures } = dataOf(answer);
    assert.deepEqual(batchItemFailures, [], answer.text);
    assert.deepEqual(
      replies.map(({ messageId }: Json) => messageId),
      messages.map(({ id }) => id),
      "answered one by one, in their order",
    );
    return replies.map(({ reply }: Json) => reply);
  }

  #note({ messages, firsts }: Parcel, replies: readonly string[]): void {
    for (const [index, message] of messages.entries()) this.check(message, replies[index]);
    for (const message of firsts) {
      assert.equal(this.#unanswered[message.by].shift(), message);
      this.#repeat(message, 1);
    }
  }

  /** CH1: the same reply as every time before. */
  check({ id, text }: Message, reply: string): void {
    this.answered++;
    const known = this.replies.get(id);
    if (known === undefined) this.replies.set(id, reply);
    else assert.equal(reply, known, `${id} (${text}) was answered otherwise before`);
  }

  #putBack({ messages, firsts }: Parcel): void {
    this.lost += messages.length;
    this.#again.push(...messages.filter((message) => !firsts.has(message)));
  }
}

/** Sends a message as its person, or through the service. */
export async function sayOne(
  client: Client,
  { tokens }: Cast,
  { id: messageId, by, text }: Message,
): Promise<string> {
  const call = { token: tokens[by], body: { messageId, text } };
  return dataOf(await client.post("/api/v1/chat/messages", call)).reply;
}

function dataOf(answer: Answer): Json {
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data;
}

/** The server was killed during the request. */
function isLost(error: unknown): boolean {
  const { name, code } = error as NodeJS.ErrnoException;
  return name !== "AssertionError" && code !== undefined;
}
