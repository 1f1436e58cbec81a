import type { LadderCommand, MatchNumber, PersonId } from "@openseat/kernel";
import type { StreamName } from "@openseat/server";
import type { Faults } from "../faults.ts";
import type { Network } from "../network.ts";
import type { Ask, Browse, Request } from "../requests.ts";
import type { Scenario } from "../scenario.ts";
import type { World } from "../world.ts";
import { LadderOrganiser } from "./organiser.ts";
import { LadderPerson } from "./person.ts";
import type { LadderView } from "./view.ts";

export interface Setting {
  readonly world: World;
  readonly scenario: Scenario;
  readonly faults: Faults;
  readonly network: Network;
}

const triesMax = 5;

/** People who enrol in ladders, report, confirm, decline and void matches, leave and return. */
export class LadderPeople {
  readonly #setting: Setting;
  readonly #organiser: LadderOrganiser;
  readonly #people: LadderPerson[] = [];
  #keys = 0;

  constructor(setting: Setting) {
    this.#setting = setting;
    const isEvening = () => this.#isEvening;
    const persons = () => this.#people.map(({ name }) => name);
    this.#organiser = new LadderOrganiser(setting, {
      get isEvening() {
        return isEvening();
      },
      get persons() {
        return persons();
      },
      ask: (by, stream, command) => this.#ask(by, stream, command),
      insist: (by, wish) => this.#insist(by, wish),
    });
  }

  /** Ladders known to exist. */
  get streams(): readonly StreamName[] {
    return this.#organiser.streams;
  }

  start(): void {
    const { ladders, ladderPersons } = this.#setting.scenario;
    if (ladders === 0) return;
    // They share names with arena players, so that both kinds of results meet on one ladder.
    for (let number = 1; number <= ladderPersons; number++) this.#people.push(new LadderPerson(`m${number}`));
    this.#organiser.start();
    for (const person of this.#people) void this.#live(person);
  }

  get #isEvening(): boolean {
    const { faults, world, scenario } = this.#setting;
    return faults.calm || world.steps > scenario.peopleStepsMax;
  }

  async #live(person: LadderPerson): Promise<void> {
    const { world, scenario } = this.#setting;
    for (;;) {
      await world.pause(world.random.next() * 2 * scenario.ladderThinkMs, `${person.name} thinks`);
      if (this.#isEvening) return;
      if (this.streams.length > 0) await this.#insist(person, this.#wish(person));
    }
  }

  /** Retries until an answer is final or the person gives up. */
  async #insist(person: LadderPerson, wish: Request): Promise<boolean> {
    const { world, faults, network } = this.#setting;
    const { random } = world;
    // Sends the same request from two tabs at once.
    if (random.chance(0.05)) void network.send(wish);
    for (let tries = 1; tries <= triesMax; tries++) {
      const answer = await network.send(wish);
      person.learn(wish, answer);
      const isUnsettled = !answer || (answer.type === "refused" && answer.refusal.retryable);
      if (!isUnsettled) return answer.type === "done";
      if (this.#isEvening || random.chance(0.1)) return false;
      await world.pause(random.next() * 300, "waits to ask again");
      faults.count("retry");
    }
    return false;
  }

  #wish(person: LadderPerson): Request {
    const { random } = this.#setting.world;
    const { name: by, usedKeys } = person;
    const stream = random.pick(this.streams);
    if (random.chance(0.01)) return { type: "list", kind: "ladder" };
    if (random.chance(0.08) && usedKeys.length > 0) return random.pick(usedKeys);
    if (random.chance(0.08)) return this.#browse(person, stream);
    const seen = person.sees(stream);
    const command = seen && this.#command(person, stream, seen);
    return command ? this.#ask(person, stream, command) : { type: "look", stream, by };
  }

  /** LD11: one page of matches. */
  #browse(person: LadderPerson, stream: StreamName): Browse {
    const { random } = this.#setting.world;
    const seen = person.sees(stream);
    const status = random.pick([undefined, "counted", "voided", "pending"] as const);
    const beyond = random.chance(0.5) ? random.between(1, (seen?.matches ?? 0) + 3) : undefined;
    const query = { order: random.pick(["newest", "oldest"] as const), limit: random.pick([3, 10]) };
    return {
      ...{ type: "browse", stream },
      query: { ...query, ...(status && { status }), ...(beyond && { beyond }) },
    };
  }

  /** Mostly a sensible next command; undefined to look at the ladder first. */
  #command(person: LadderPerson, stream: StreamName, seen: LadderView): LadderCommand | undefined {
    const { random } = this.#setting.world;
    const by = person.name as PersonId;
    const asker = { by, role: "person" } as const;
    const { mine, pending } = seen;
    const isThere = mine !== null && mine.leftAt === null;
    const rating = random.chance(0.02) ? 1_700 : undefined;
    if (!isThere && random.chance(0.8))
      return { type: "enrol", person: by, name: `Name of ${by}`, rating, asker };
    const asked = pending.find(
      ({ players, reporter }) => players[reporter === "first" ? 1 : 0] === mine?.number,
    );
    if (asked && random.chance(0.6))
      return { type: random.chance(0.7) ? "confirm" : "decline", match: asked.match as MatchNumber, by };
    if (asked && random.chance(0.3)) return this.#reportToo(by, asked, seen);
    const known = [...person.reportedIn(stream), random.between(0, seen.matches + 2)];
    const match = random.pick(known) as MatchNumber;
    const dice = random.next();
    if (dice < 0.55) return this.#report(by, seen);
    if (dice < 0.7) return { type: "void", match, asker };
    if (dice < 0.73) return { type: "leave", person: by, asker };
    if (dice < 0.76) return { type: random.pick(["confirm", "decline"]), match, by };
    if (dice < 0.78) return { type: "configure", changes: { confirm: false }, asker };
    if (dice < 0.8) return { type: "leave", person: this.#anyPlayer(), asker };
    return undefined;
  }

  /** LD14: reports a match that the opponent already reported, with the same or another score. */
  #reportToo(
    by: PersonId,
    { players, scores }: LadderView["pending"][number],
    { standings, mine }: LadderView,
  ): LadderCommand | undefined {
    const { random } = this.#setting.world;
    const other = players.find((player) => player !== mine!.number);
    const opponent = standings.find(({ number }) => number === other)?.person as PersonId | undefined;
    if (opponent === undefined) return undefined;
    const both = (players[0] === other ? [opponent, by] : [by, opponent]) as [PersonId, PersonId];
    const reported = random.chance(0.5) ? scores : [random.between(0, 2), random.between(0, 2)];
    const [a, b] = reported;
    const result = random.pick([
      { players: both, scores: [a, b] as const },
      { players: [both[1], both[0]] as const, scores: [b, a] as const },
    ]);
    return { type: "report", result, asker: { by, role: "person" } };
  }

  /** Either side may report. Sometimes a player is missing, or the match is between two others. */
  #report(by: PersonId, { standings }: LadderView): LadderCommand {
    const { random } = this.#setting.world;
    const others = standings.map(({ person }) => person as PersonId).filter((person) => person !== by);
    const opponent = others.length > 0 && random.chance(0.95) ? random.pick(others) : this.#anyPlayer();
    const own = random.chance(0.97) ? by : this.#anyPlayer();
    const players = random.pick([[own, opponent] as const, [opponent, own] as const]);
    const scores = [random.between(0, 2), random.between(0, 2)] as const;
    return { type: "report", result: { players, scores }, asker: { by, role: "person" } };
  }

  #anyPlayer(): PersonId {
    return this.#setting.world.random.pick(this.#people).name as PersonId;
  }

  #ask(person: LadderPerson, stream: StreamName, command: LadderCommand): Ask {
    const { world, faults } = this.#setting;
    const { name: by, usedKeys } = person;
    if (usedKeys.length > 0 && faults.strikes("reusedKey")) {
      return { type: "ask", stream, by, command, key: world.random.pick(usedKeys).key };
    }
    // LD1: only a key guarantees that a match counts once.
    const key = command.type === "create" || world.random.chance(0.8) ? `lk${++this.#keys}` : undefined;
    const ask: Ask = { type: "ask", stream, by, command, key };
    if (key !== undefined) usedKeys.push(ask);
    return ask;
  }
}
