import type { DirectoryCommand, DuelNumber, PersonId } from "@openseat/kernel";
import type { StreamName } from "@openseat/server";
import { type Ask, idOf, type Request } from "../requests.ts";
import { theDirectory, usualLadder } from "./correspondence.ts";
import type { Setting } from "./talkers.ts";
import type { KnownNames } from "./wishes.ts";

const triesMax = 5;
const usual: StreamName = `ladder/${usualLadder}`;

/** A person with a token who uses the API with keys, and reads the directory. */
export class ApiUser {
  readonly #name: PersonId;
  readonly #setting: Setting;
  readonly #knownNames: KnownNames;
  readonly #asked: Ask[] = [];
  #keys = 0;
  /** Whether the default ladder is known to exist. */
  #hasUsualLadder = false;

  constructor(name: string, setting: Setting, knownNames: KnownNames) {
    this.#name = name as PersonId;
    this.#setting = setting;
    this.#knownNames = knownNames;
  }

  /** Retries until an answer is final or the person gives up. */
  async act(): Promise<void> {
    const { world, faults, network } = this.#setting;
    const wish = this.#wish();
    for (let tries = 0; tries < triesMax; tries++) {
      const answer = await network.send(wish);
      if (answer?.type === "seen" && wish.type === "look" && wish.stream === usual)
        this.#hasUsualLadder ||= answer.view !== null;
      if (answer && !(answer.type === "refused" && answer.refusal.retryable)) return;
      await world.pause(world.random.next() * 300, "waits to ask again");
      faults.count("retry");
    }
  }

  #wish(): Request {
    const { random } = this.#setting.world;
    const by = this.#name;
    if (random.chance(0.2)) return { type: "look", stream: theDirectory, by };
    if (random.chance(0.2)) return { type: "look", stream: `conversation/${by}`, by };
    if (random.chance(0.1)) return { type: "look", stream: usual, by };
    if (random.chance(0.1) && this.#asked.length > 0) return random.pick(this.#asked);
    return this.#ask(this.#command());
  }

  #command(): DirectoryCommand {
    const { random } = this.#setting.world;
    const person = this.#name;
    const duel = random.between(1, 12) as DuelNumber;
    const hand = this.#knownNames.hand();
    const ladders = [...this.#setting.ladders().map(idOf), ...(this.#hasUsualLadder ? [usualLadder] : [])];
    const ladder = ladders.length > 0 && random.chance(0.4) ? random.pick(ladders) : null;
    const dice = random.next();
    if (dice < 0.3) return { type: "take-name", person, nickname: this.#knownNames.newName() };
    if (dice < 0.6)
      return {
        type: "challenge",
        person,
        opponent: this.#knownNames.someone(),
        hand: random.pick([hand, null]),
        ladder,
      };
    if (dice < 0.85) return { type: "throw", person, duel, hand, ladder };
    if (dice < 0.95) return { type: "drop", person, duel };
    return { type: "quit", person };
  }

  #ask(command: DirectoryCommand): Ask {
    const { world, faults } = this.#setting;
    const by = this.#name;
    const known =
      this.#asked.length > 0 && faults.strikes("reusedKey") ? world.random.pick(this.#asked) : undefined;
    // ID5: opening a duel requires a key.
    const isKeyed = command.type === "challenge" || world.random.chance(0.8);
    const key = known?.key ?? (isKeyed ? `ak${++this.#keys}` : undefined);
    const ask: Ask = { type: "ask", stream: theDirectory, by, key, command };
    if (key !== undefined && !known) this.#asked.push(ask);
    return ask;
  }
}
