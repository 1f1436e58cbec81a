import type { ConversationNumber } from "@openseat/kernel";
import type { StreamName } from "@openseat/server";
import { operator } from "../queue/queue.ts";
import { idOf, type Request } from "../requests.ts";
import { theDirectory, usualLadder } from "./correspondence.ts";
import type { Setting } from "./talkers.ts";

const triesMax = 5;

/** Moves groups, and does the operator's work on chats: links and configures ladders, and resends dead letters. */
export class ChatOperator {
  readonly #setting: Setting;
  readonly #isEvening: () => boolean;
  /** The current address of the group. */
  groupPlace = "+300000001";
  #moves = 0;

  constructor(setting: Setting, isEvening: () => boolean) {
    this.#setting = setting;
    this.#isEvening = isEvening;
  }

  start(): void {
    void this.#keep();
  }

  async #keep(): Promise<void> {
    const { world, scenario } = this.#setting;
    for (;;) {
      await world.pause(world.random.next() * 2 * scenario.operatorThinkMs, "the chat operator thinks");
      if (this.#isEvening()) return;
      await this.#insist(this.#wish());
    }
  }

  async #insist(request: Request): Promise<void> {
    const { world, network } = this.#setting;
    for (let tries = 0; tries < triesMax; tries++) {
      const answer = await network.send(request);
      if (answer && !(answer.type === "refused" && answer.refusal.retryable)) return;
      await world.pause(world.random.next() * 300, "waits to ask again");
    }
  }

  #wish(): Request {
    const { world, ladders } = this.#setting;
    const { random } = world;
    const ask = { type: "ask", by: operator, key: undefined } as const;
    const stream: StreamName = `ladder/${usualLadder}`;
    const asker = { by: operator, role: "operator" } as const;
    const dice = random.next();
    if (dice < 0.5) return { type: random.pick(["resend", "resend", "discard"]) };
    if (dice < 0.6) return { type: "look", stream, by: operator };
    if (dice < 0.75) {
      const changes = random.pick([
        { duels: false },
        { duels: true },
        { duels: true },
        { confirm: true },
        { confirm: false },
      ]);
      return { ...ask, stream, command: { type: "configure", changes, asker } };
    }
    if (dice < 0.85) return this.#move();
    const conversation = random.between(1, 4) as ConversationNumber;
    const ladder = random.pick([usualLadder, ...ladders().map(idOf)]);
    return { ...ask, stream: theDirectory, command: { type: "link", conversation, ladder } };
  }

  /** Messages from now on come from the new address, even if the server does not know it yet. */
  #move(): Request {
    const from = this.groupPlace;
    this.#moves++;
    this.groupPlace = `+30000000${1 + (this.#moves % 8)}`;
    return { type: "move", from, to: this.groupPlace, id: `g${this.#moves}` };
  }
}
