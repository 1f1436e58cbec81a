import type { GameCommand, Millis, PersonId } from "@openseat/kernel";
import type { StreamName } from "@openseat/server";
import type { Faults } from "../faults.ts";
import type { Network } from "../network.ts";
import type { Ask, Request } from "../requests.ts";
import type { Scenario } from "../scenario.ts";
import type { World } from "../world.ts";

interface Setting {
  readonly world: World;
  readonly scenario: Scenario;
  readonly faults: Faults;
  readonly network: Network;
  /** The wall clock at the person's location. */
  readonly now: () => Millis;
}

/** More commands than a mailbox decides in one commit. */
const crowdMin = 4_100;
const crowdMax = 6_000;
const triesMax = 6;

/** People who create, join, leave, look at and end games from several tabs at once, and retry without an answer. */
export class Clients {
  readonly #setting: Setting;
  readonly #games: { stream: StreamName; waitlist: boolean }[] = [];
  /** Used keys by person, to be reused where that must be refused. */
  readonly #usedKeys = new Map<string, Ask[]>();
  #keys = 0;

  constructor(setting: Setting) {
    this.#setting = setting;
  }

  get streams(): readonly StreamName[] {
    return this.#games.map(({ stream }) => stream);
  }

  start(): void {
    const { persons, tabsEach } = this.#setting.scenario;
    for (let number = 1; number <= persons; number++) {
      for (let tab = 1; tab <= tabsEach; tab++) void this.#useTab(`p${number}`);
    }
  }

  async #useTab(person: string): Promise<void> {
    const { world, scenario, faults } = this.#setting;
    for (;;) {
      await world.pause(world.random.next() * 2 * scenario.thinkMs, `${person} thinks`);
      if (faults.calm) return;
      if (faults.strikes("crowd")) this.#gatherCrowd();
      else await this.#insist(this.#wish(person));
    }
  }

  /** Retries until an answer is final or the person gives up. */
  async #insist(wish: Request): Promise<void> {
    const { world, faults, network } = this.#setting;
    let request = wish;
    for (let tries = 1; tries <= triesMax; tries++) {
      const answer = await network.send(request);
      const unsettled = !answer || (answer.type === "refused" && answer.refusal.retryable);
      if (!unsettled || faults.calm || world.random.chance(0.1)) return;
      await world.pause(world.random.next() * 300, "waits to ask again");
      faults.count("retry");
      if (request.type === "ask" && world.random.chance(0.1)) request = { ...request, key: undefined };
    }
  }

  #wish(person: string): Request {
    const { world, scenario } = this.#setting;
    const { random } = world;
    const eager = this.#games.length < scenario.gamesAtOnce ? 0.3 : 0.02;
    if (this.#games.length === 0 || random.chance(eager)) return this.#create(person);
    const { stream } = random.pick(this.#games.slice(-scenario.gamesAtOnce));
    const dice = random.next();
    if (dice < 0.45) {
      const name = `Name of ${person} \u{1f332}`;
      return this.#ask(stream, person, { type: "join", person: person as PersonId, name });
    }
    if (dice < 0.75) return this.#ask(stream, person, { type: "leave", person: person as PersonId });
    if (dice < 0.92) return { type: "look", stream, by: person };
    if (dice < 0.95) return { type: "list", kind: "game" };
    if (dice < 0.98) return this.#again(person) ?? { type: "look", stream, by: person };
    if (dice < 0.988) return this.#remove(stream, person);
    if (dice < 0.991) return this.#ask(stream, "operator", { type: "end", by: "operator", asOperator: true });
    return this.#ask(stream, person, { type: "end", by: person, asOperator: false });
  }

  /** Sent by a person with permission, or by one without. */
  #remove(stream: StreamName, person: string): Request {
    const { world, scenario } = this.#setting;
    const other = `p${world.random.between(1, scenario.persons)}` as PersonId;
    const asOperator = world.random.chance(0.7);
    const by = asOperator ? "operator" : person;
    return this.#ask(stream, by, { type: "remove", person: other, by, asOperator });
  }

  #create(person: string): Request {
    const { world, scenario, now } = this.#setting;
    const { random } = world;
    const isLeased = random.chance(scenario.gameLeaseShare);
    const leaseMs = Math.max(scenario.leaseMsMin, random.pick([300, 1_000, 2_000]));
    const waitlist = random.chance(0.5);
    // Sometimes two people take the same id; one of them must be refused.
    const number = random.chance(0.1) ? Math.max(1, this.#games.length) : this.#games.length + 1;
    const stream: StreamName = `game/g${number}`;
    if (!this.streams.includes(stream)) this.#games.push({ stream, waitlist });
    const endsInMs = random.pick([undefined, undefined, undefined, 300, 2_000, 20_000, 3_600_000, -5]);
    return this.#ask(stream, person, {
      type: "create",
      title: `Game ${number}`,
      seats: random.between(1, 5),
      waitlist,
      endsAt: endsInMs === undefined ? null : ((now() + endsInMs) as Millis),
      ...(isLeased && { heartbeatTimeoutMs: leaseMs }),
      creator: person,
    });
  }

  #ask(stream: StreamName, by: string, command: GameCommand): Ask {
    const { world, faults } = this.#setting;
    const used = this.#usedKeys.get(by) ?? [];
    this.#usedKeys.set(by, used);
    if (used.length > 0 && faults.strikes("reusedKey")) {
      return { type: "ask", stream, by, command, key: world.random.pick(used).key };
    }
    const key = world.random.chance(0.75) ? `k${++this.#keys}` : undefined;
    const ask: Ask = { type: "ask", stream, by, command, key };
    if (key !== undefined) used.push(ask);
    return ask;
  }

  /** Repeats an old request, like a tab that wakes from sleep. The answer must be the old one. */
  #again(person: string): Ask | undefined {
    const used = this.#usedKeys.get(person) ?? [];
    return used.length > 0 ? this.#setting.world.random.pick(used) : undefined;
  }

  /** GM7: thousands join at the same moment. */
  #gatherCrowd(): void {
    const { world, network } = this.#setting;
    const games = this.#games.filter(({ waitlist }) => !waitlist);
    if (games.length === 0) return;
    const { stream } = world.random.pick(games);
    const size = world.random.between(crowdMin, crowdMax);
    network.sendTogether(
      Array.from({ length: size }, (_, number) => {
        const person = `c${number}` as PersonId;
        return { type: "ask", stream, by: person, key: undefined, command: { type: "join", person } };
      }),
    );
  }
}
