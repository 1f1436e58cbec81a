import type { PersonId, QueueCommand, TicketNumber } from "@openseat/kernel";
import type { StreamName } from "@openseat/server";
import type { Faults } from "../faults.ts";
import type { Network } from "../network.ts";
import type { Node } from "../node.ts";
import type { Ask, Request } from "../requests.ts";
import type { Scenario } from "../scenario.ts";
import type { World } from "../world.ts";
import { Operator } from "./operator.ts";
import { Person } from "./person.ts";

export interface Setting {
  readonly world: World;
  readonly scenario: Scenario;
  readonly faults: Faults;
  readonly network: Network;
  readonly nodes: readonly Node[];
}

const rushMin = 20;
const rushMax = 80;
const triesMax = 5;
/** Silences from a few missed heartbeats to longer than any lease. */
const silencesMs = [300, 900, 1_800, 4_500, 6_500, 11_000];
/** Looks at places in the evening. Few enough that the effects of the last one are over before the calm ends. */
const visitsMax = 4;
/** Number of addresses, which people share. */
const addresses = 4;

/** People who enter queues, keep their place, are admitted and leave, and sometimes disappear. */
export class QueuePeople {
  readonly #setting: Setting;
  readonly #operator: Operator;
  readonly #people: Person[] = [];
  #rushed = 0;
  #keys = 0;

  constructor(setting: Setting) {
    this.#setting = setting;
    this.#operator = new Operator(setting, {
      ask: (by, stream, command) => this.#ask(by, stream, command),
      ticketIn: (stream) => this.#ticketIn(stream),
    });
  }

  get streams(): readonly StreamName[] {
    return this.#operator.streams;
  }

  start(): void {
    const { queues, queuePersons, tabsEach } = this.#setting.scenario;
    if (queues === 0) return;
    void this.#operator.work();
    for (let number = 1; number <= queuePersons; number++) this.#arrive(tabsEach);
  }

  #arrive(tabs: number): void {
    const person = new Person(`q${this.#people.length + 1}`);
    this.#people.push(person);
    for (let tab = 1; tab <= tabs; tab++) void this.#useTab(person);
    void this.#stayConnected(person);
  }

  async #useTab(person: Person): Promise<void> {
    const { world, scenario, faults } = this.#setting;
    const { random } = world;
    for (;;) {
      const silentMs = Math.max(0, person.silentUntilMs - world.elapsedMs);
      await world.pause(silentMs + random.next() * 2 * scenario.queueThinkMs, `${person.name} thinks`);
      if (person.isGone) return;
      if (this.#isEvening) return this.#lookIn(person);
      if (world.elapsedMs < person.silentUntilMs || this.streams.length === 0) continue;
      if (faults.strikes("silence")) {
        if (random.chance(0.2)) return this.#vanish(person);
        person.silentUntilMs = world.elapsedMs + random.pick(silencesMs);
      } else if (faults.strikes("rush")) this.#rush();
      else await this.#insist(person, this.#wish(person));
    }
  }

  /** People look at their places again after a silence, which brings back those who were away. */
  async #lookIn(person: Person): Promise<void> {
    const { world, network } = this.#setting;
    const { random } = world;
    for (let times = random.between(0, visitsMax); times > 0; times--) {
      await world.pause(random.pick(silencesMs), `${person.name} is away`);
      for (const [stream, { ticket }] of person.places) {
        const look: Request = { type: "look", stream, by: person.name, ticket };
        person.learn(look, await network.send(look));
      }
    }
  }

  /** Nobody enters, claims or leaves any more. Open connections stay open for a while. */
  get #isEvening(): boolean {
    const { world, scenario, faults } = this.#setting;
    return faults.calm || world.steps > scenario.peopleStepsMax;
  }

  #ticketIn(stream: StreamName): number | undefined {
    const tickets = this.#people.flatMap((person) => person.placeIn(stream)?.ticket ?? []);
    return tickets.length > 0 ? this.#setting.world.random.pick(tickets) : undefined;
  }

  /** The person leaves for good without giving up the place, and a new person arrives. */
  #vanish(person: Person): void {
    person.isGone = true;
    this.#arrive(this.#setting.scenario.tabsEach);
  }

  /** Retries until an answer is final or the person gives up. */
  async #insist(person: Person, wish: Request): Promise<void> {
    const { world, faults, network } = this.#setting;
    let request = wish;
    for (let tries = 1; tries <= triesMax; tries++) {
      const answer = await network.send(request);
      person.learn(request, answer);
      const isUnsettled = !answer || (answer.type === "refused" && answer.refusal.retryable);
      const isSilent = person.isGone || world.elapsedMs < person.silentUntilMs;
      const hasEnough = this.#isEvening || isSilent || world.random.chance(0.2);
      if (!isUnsettled || hasEnough) return;
      await world.pause(world.random.next() * 300, "waits to ask again");
      faults.count("retry");
      if (request.type === "ask" && world.random.chance(0.1)) request = { ...request, key: undefined };
    }
  }

  #wish(person: Person): Request {
    const { random } = this.#setting.world;
    const stream = random.pick(this.streams);
    const by = person.name;
    const known = person.placeIn(stream);
    if (random.chance(0.02)) return { type: "list", kind: "queue" };
    if (random.chance(0.03)) return { type: "look", stream, by, ticket: this.#ticketIn(stream) };
    if (random.chance(0.03) && person.usedKeys.length > 0) return random.pick(person.usedKeys);
    if (!known) return random.chance(0.15) ? { type: "look", stream, by } : this.#enter(person, stream);
    const look: Request = { type: "look", stream, by, ticket: known.ticket };
    // Sometimes uses another person's ticket.
    const ticket = (random.chance(0.95) ? known.ticket : this.#ticketIn(stream)) as TicketNumber;
    const ask = (type: "leave" | "claim" | "complete") =>
      this.#ask(person, stream, { type, ticket, person: by as PersonId });
    const dice = random.next();
    if (known.state === "waiting" && dice < 0.7) return look;
    if (known.state === "admitted" && dice < 0.6) return ask("claim");
    if (known.state === "active" && dice < 0.5) return look;
    if (known.state === "active" && dice < 0.7) return ask("complete");
    if (dice < 0.88) return ask("leave");
    if (dice < 0.92) return this.#enter(person, stream);
    return dice < 0.97 ? ask("claim") : ask("complete");
  }

  #enter(person: Person, stream: StreamName): Ask {
    return this.#ask(person, stream, enterCommand(this.#setting.world.random, person.name));
  }

  #ask(person: Person, stream: StreamName, command: QueueCommand): Ask {
    const { world, faults } = this.#setting;
    const { name: by, usedKeys } = person;
    if (usedKeys.length > 0 && faults.strikes("reusedKey")) {
      return { type: "ask", stream, by, command, key: world.random.pick(usedKeys).key };
    }
    const key = world.random.chance(0.75) ? `qk${++this.#keys}` : undefined;
    const ask: Ask = { type: "ask", stream, by, command, key };
    if (key !== undefined) usedKeys.push(ask);
    return ask;
  }

  /** Many people enter at the same moment and then go silent. */
  #rush(): void {
    const { world, network } = this.#setting;
    const stream = world.random.pick(this.streams);
    const requests = Array.from({ length: world.random.between(rushMin, rushMax) }, (): Ask => {
      const by = `r${++this.#rushed}`;
      return { type: "ask", stream, by, key: undefined, command: enterCommand(world.random, by) };
    });
    network.sendTogether(requests);
  }

  /** Sometimes a person has a live connection, which sends heartbeats even while they do nothing. */
  async #stayConnected(person: Person): Promise<void> {
    const { world, scenario, faults, nodes } = this.#setting;
    const { random } = world;
    if (!random.chance(scenario.connectedShare)) return;
    while (!person.isGone) {
      await world.pause(random.between(50, 2_000), `${person.name} may connect`);
      const { open: process, stopping } = random.pick(nodes);
      const [stream, place] = person.places.length > 0 ? random.pick(person.places) : [];
      if (process && !stopping && stream && place) {
        const hold = process.hold(stream, place.ticket);
        world.note(`  ${person.name} is connected to ${stream} place ${place.ticket}`);
        await world.pause(random.between(50, 6_000), `${person.name} may be cut off`);
        // In the calm, most connections stay open and keep places that nobody asks about.
        if (faults.calm && random.chance(0.7)) return;
        hold.release();
      }
      if (this.#isEvening) return;
    }
  }
}

function enterCommand(random: World["random"], name: string): QueueCommand {
  const address = `a${random.between(1, addresses)}`;
  const metadata = random.chance(0.1) ? { metadata: `{"n":${random.between(1, 3)}}` } : {};
  const lane = random.pick([0, 0, 0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 5]);
  return { type: "enter", person: name as PersonId, lane, onBehalf: false, address, ...metadata };
}
