import type { PersonId, QueueCommand, TicketNumber } from "@openseat/kernel";
import type { StreamName } from "@openseat/server";
import { lengthened } from "../leases.ts";
import type { Ask, Request } from "../requests.ts";
import type { Setting } from "./people.ts";
import { Person } from "./person.ts";
import { operator } from "./queue.ts";
import { chooseChanges, chooseLanes, chooseSettings } from "./settings.ts";

interface Help {
  ask(by: Person, stream: StreamName, command: QueueCommand): Ask;
  /** A known ticket in this queue, if there is one. */
  ticketIn(stream: StreamName): number | undefined;
}

const triesMax = 6;

/** Creates, configures and pauses queues, and acts for other people. */
export class Operator {
  readonly #setting: Setting;
  readonly #help: Help;
  readonly #self = new Person(operator);
  readonly #streams: StreamName[] = [];

  constructor(setting: Setting, help: Help) {
    this.#setting = setting;
    this.#help = help;
  }

  get streams(): readonly StreamName[] {
    return this.#streams;
  }

  async work(): Promise<void> {
    const { world, scenario, faults } = this.#setting;
    while (!faults.calm && world.steps <= scenario.peopleStepsMax) {
      await this.#insist(this.#wish());
      await world.pause(world.random.next() * 2 * scenario.operatorThinkMs, "the operator thinks");
    }
  }

  /** Retries with the same key. Without one, the second attempt may be told that it is already done. */
  async #insist(wish: Request): Promise<void> {
    const { world, faults, network } = this.#setting;
    for (let tries = 1; tries <= triesMax && !faults.calm; tries++) {
      const answer = await network.send(wish);
      if (answer && !(answer.type === "refused" && answer.refusal.retryable)) return;
      await world.pause(world.random.next() * 300, "the operator waits to ask again");
      faults.count("retry");
    }
  }

  #wish(): Request {
    const { world, scenario } = this.#setting;
    const { random } = world;
    const { length } = this.#streams;
    if (length === 0 || (length < scenario.queues && random.chance(0.3))) return this.#create();
    const stream = random.pick(this.#streams);
    const ticket = (this.#help.ticketIn(stream) ?? 1) as TicketNumber;
    if (random.chance(0.02)) return this.#help.ask(this.#self, stream, { type: "end" });
    const about = { ticket, person: undefined };
    const command = random.pick<QueueCommand>([
      { type: "configure", changes: lengthened(chooseChanges(random), scenario.leaseMsMin) },
      { type: "configure", changes: lengthened(chooseChanges(random), scenario.leaseMsMin) },
      { type: "pause" },
      { type: "resume" },
      { type: "resume" },
      { type: "resume" },
      { type: "terminate", ...about },
      { type: random.pick(["leave", "claim", "complete"]), ...about },
      this.#enterFor(`q${random.between(1, 12)}`),
    ]);
    return this.#help.ask(this.#self, stream, command);
  }

  #enterFor(name: string): QueueCommand {
    const { random } = this.#setting.world;
    return { type: "enter", person: name as PersonId, lane: random.between(0, 3), onBehalf: true };
  }

  #create(): Ask {
    const { world, scenario } = this.#setting;
    const { random } = world;
    // Sometimes takes the same id again, which must be refused.
    const number = random.chance(0.1) ? Math.max(1, this.#streams.length) : this.#streams.length + 1;
    const stream: StreamName = `queue/w${number}`;
    if (!this.#streams.includes(stream)) this.#streams.push(stream);
    return this.#help.ask(this.#self, stream, {
      type: "create",
      settings: lengthened(chooseSettings(random, `Queue ${number}`), scenario.leaseMsMin),
      lanes: chooseLanes(random),
      placesPerAddressMax: random.chance(0.2) ? random.between(1, 4) : null,
      creator: operator,
    });
  }
}
