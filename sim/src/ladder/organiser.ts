import type { ImportRow, LadderCommand, MatchNumber, PersonId } from "@openseat/kernel";
import type { StreamName } from "@openseat/server";
import { organiser, service } from "../arena/arena.ts";
import { operator } from "../queue/queue.ts";
import type { Ask, Request } from "../requests.ts";
import { roleOf } from "./ladder.ts";
import type { Setting } from "./people.ts";
import { LadderPerson } from "./person.ts";
import { chooseChanges, chooseFile, chooseLadder } from "./settings.ts";

interface Help {
  readonly isEvening: boolean;
  readonly persons: readonly string[];
  ask(by: LadderPerson, stream: StreamName, command: LadderCommand): Ask;
  /** Resolves with whether it was done, as far as is known. */
  insist(by: LadderPerson, wish: Request): Promise<boolean>;
}

/**
 * Organisers who create and configure ladders, import old matches and settle disputes, and a service that reports
 * results.
 */
export class LadderOrganiser {
  readonly #setting: Setting;
  readonly #help: Help;
  readonly #organisers = [organiser, operator, service].map((name) => new LadderPerson(name));
  readonly #files = new Map<string, readonly ImportRow[]>();
  readonly #open: StreamName[] = [];

  constructor(setting: Setting, help: Help) {
    this.#setting = setting;
    this.#help = help;
  }

  get streams(): readonly StreamName[] {
    return this.#open;
  }

  start(): void {
    for (let number = 1; number <= this.#setting.scenario.ladders; number++) void this.#keep(number);
  }

  async #keep(number: number): Promise<void> {
    const { world, scenario } = this.#setting;
    const { random } = world;
    const stream: StreamName = `ladder/l${number}`;
    const [maker] = this.#organisers;
    const create = chooseLadder(random, `Ladder ${number}`, maker.name);
    // Retries with the same key until the ladder is known to exist. Before that nobody may rely on it.
    const ask = this.#help.ask(maker, stream, create);
    while (!(await this.#help.insist(maker, ask))) if (this.#help.isEvening) return;
    this.#open.push(stream);
    while (!this.#help.isEvening) {
      await world.pause(random.next() * 6 * scenario.ladderThinkMs, "the organiser of a ladder thinks");
      const by = random.pick(this.#organisers);
      await this.#help.insist(by, this.#wish(by, stream, create));
    }
  }

  #wish(by: LadderPerson, stream: StreamName, create: LadderCommand): Request {
    const { random } = this.#setting.world;
    const seen = by.sees(stream);
    if (!seen || random.chance(0.2)) return { type: "look", stream, by: by.name };
    const asker = { by: by.name, role: roleOf(by.name) };
    const person = random.pick(this.#help.persons) as PersonId;
    const other = random.pick(this.#help.persons) as PersonId;
    const match = random.between(1, seen.matches + 2) as MatchNumber;
    const rating = random.pick([undefined, random.between(800, 1_600)]);
    // Duels from the chat are checked against ladders that have not ended.
    const isTalk = Object.values(this.#setting.scenario.talkers).some((people) => people > 0);
    const isFed = this.#setting.scenario.arenas > 0;
    if (!isTalk && random.chance(isFed ? 0.05 : 0.01))
      return this.#help.ask(by, stream, { type: "end", asker });
    const command = random.pick<LadderCommand>([
      { type: "configure", changes: chooseChanges(random), asker },
      { type: "enrol", person, name: `Name of ${person}`, rating, asker },
      { type: "leave", person, asker },
      { type: random.pick(["ban", "unban", "unban"]), person, asker },
      { type: "void", match, asker },
      { type: "void", match, asker },
      { type: "report", result: { players: [person, other], scores: [random.between(0, 2), 1] }, asker },
      { type: "report", result: { players: [person, other], scores: [random.between(0, 2), 1] }, asker },
      { type: "import", ...this.#file(), asker },
      { type: "confirm", match, by: by.name },
      create,
    ]);
    return this.#help.ask(by, stream, command);
  }

  /** A new file, or one imported before. */
  #file(): { digest: string; rows: readonly ImportRow[] } {
    const { random } = this.#setting.world;
    const digest = `f${random.between(1, this.#files.size + 2)}`;
    const rows = this.#files.get(digest) ?? chooseFile(random, this.#help.persons);
    this.#files.set(digest, rows);
    return { digest, rows };
  }
}
