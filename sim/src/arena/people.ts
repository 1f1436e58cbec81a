import { type ArenaCommand, catalogue, type MatchId, type PersonId } from "@openseat/kernel";
import type { StreamName } from "@openseat/server";
import type { Faults } from "../faults.ts";
import type { Judge } from "../judge.ts";
import type { Network } from "../network.ts";
import type { Node } from "../node.ts";
import type { PresenceChecks } from "../presence-checks.ts";
import type { Onlooker } from "../promises.ts";
import type { Ask, Request } from "../requests.ts";
import type { Scenario } from "../scenario.ts";
import type { World } from "../world.ts";
import { ArenaOrganisers } from "./organisers.ts";
import { ArenaPerson, Link } from "./person.ts";
import type { StateView } from "./view.ts";

export interface Setting {
  readonly world: World;
  readonly scenario: Scenario;
  readonly faults: Faults;
  readonly network: Network;
  readonly nodes: readonly Node[];
  readonly judge: Judge;
  readonly presence: PresenceChecks | undefined;
  /** Ladders known to exist. */
  readonly ladders: () => readonly StreamName[];
}

const triesMax = 5;
/** Silences shorter than any grace, up to longer than every lease. */
const silencesMs = [200, 350, 900, 2_500, 7_000, 11_000];
/** Longer than the longest lease. */
const longestLeaseMs = 12_000;
const restMs = 3_000;
const idlePauses = 6;
const allMoves = catalogue.flatMap(({ table }) => [...table.cells, ...table.choices].map(({ move }) => move));

/**
 * People who join arenas and play, mostly by the rules. They also watch, lose their connection, leave without a
 * word and come back.
 */
export class ArenaPeople {
  readonly #setting: Setting;
  readonly #organisers: ArenaOrganisers;
  readonly #people: ArenaPerson[] = [];
  #keys = 0;

  constructor(setting: Setting) {
    this.#setting = setting;
    const isEvening = () => this.#isEvening;
    this.#organisers = new ArenaOrganisers(setting, {
      get isEvening() {
        return isEvening();
      },
      ask: (by, stream, command) => this.#ask(by, stream, command),
      insist: (by, wish) => this.#insist(by, wish),
    });
  }

  get streams(): readonly StreamName[] {
    return this.#organisers.streams;
  }

  /** People who are still watching. */
  get onlookers(): readonly Onlooker[] {
    return this.#people.flatMap(({ onlooker }) => onlooker ?? []);
  }

  start(): void {
    const { arenas, arenaPersons } = this.#setting.scenario;
    if (arenas === 0) return;
    this.#organisers.start();
    for (let number = 0; number < arenaPersons; number++) this.#arrive(number);
  }

  #arrive(number: number): void {
    const { world, scenario } = this.#setting;
    const { random } = world;
    const name = `m${this.#people.length + 1}`;
    const person = new ArenaPerson(name, {
      connects: random.chance(scenario.arenaConnectedShare) ? 0.9 : 0.1,
      mischief: random.pick([0.02, 0.05, 0.3]),
    });
    person.home = this.streams[number % this.streams.length];
    this.#people.push(person);
    void this.#live(person);
  }

  get #isEvening(): boolean {
    const { faults, world, scenario } = this.#setting;
    return faults.calm || world.steps > scenario.peopleStepsMax;
  }

  async #live(person: ArenaPerson): Promise<void> {
    const { world, scenario, faults } = this.#setting;
    const { random } = world;
    for (;;) {
      const silentMs = Math.max(0, person.silentUntilMs - world.elapsedMs);
      const thinks = (ms: number) => world.pause(random.next() * 2 * ms, `${person.name} thinks`);
      // A watching player waits until it is their turn.
      if (person.link?.isOpen)
        await Promise.race([person.turn(), thinks(idlePauses * scenario.arenaThinkMs)]);
      else await world.pause(silentMs, `${person.name} comes back`);
      await thinks(scenario.arenaThinkMs);
      if (this.#isEvening) return this.#rest(person);
      if (world.elapsedMs < person.silentUntilMs) continue;
      if (faults.strikes("silence")) {
        person.link?.drop();
        if (random.chance(0.15)) return this.#vanish(person);
        person.silentUntilMs = world.elapsedMs + random.pick(silencesMs);
      } else if (person.link?.isOpen && faults.strikes("cutOff")) person.link.drop();
      else if (!person.link?.isOpen && random.chance(person.connects)) this.#connect(person);
      else await this.#act(person);
    }
  }

  async #act(person: ArenaPerson): Promise<void> {
    const wish = this.#wish(person);
    // A watching player does not need to poll.
    const isIdle = wish.type === "look" && person.link?.isOpen && this.#setting.world.random.chance(0.8);
    if (!isIdle) await this.#insist(person, wish);
  }

  /** The person leaves for good without giving up the place, and a new person arrives. */
  #vanish(person: ArenaPerson): void {
    person.isGone = true;
    this.#arrive(this.streams.indexOf(person.home!));
  }

  /**
   * During the calm, one person per arena stays and watches for longer than any lease, some until the end. The
   * others are gone, and their places must expire.
   */
  async #rest(person: ArenaPerson): Promise<void> {
    const { world, faults } = this.#setting;
    const isFirst = this.#people.find(({ home, isGone }) => home === person.home && !isGone) === person;
    if (!isFirst) {
      await world.pause(world.random.next() * 3_000, `${person.name} goes home`);
      person.isGone = true;
      person.link?.drop();
      return;
    }
    const isStaying = world.random.chance(0.15);
    for (let calmMs = 0; isStaying || calmMs < longestLeaseMs; calmMs += faults.calm ? restMs : 0) {
      if (!person.link?.isOpen) this.#connect(person);
      await world.pause(faults.calm ? restMs : 500, `${person.name} looks up`);
    }
    person.link?.drop();
  }

  #connect(person: ArenaPerson): void {
    const { nodes, judge, presence, world } = this.#setting;
    const { open: process, stopping } = world.random.pick(nodes);
    if (!process || stopping) return;
    const stream = person.home!;
    const isSame = person.link?.stream === stream && world.random.chance(0.8);
    const after = isSame ? person.link?.sent : undefined;
    const link = new Link(process, judge, person, stream, after);
    person.link = link;
    presence?.attends(stream, person.name, link);
    link.handle = process.watch(stream, link, { after, viewer: person.name as PersonId });
  }

  /** Retries until an answer is final or the person gives up. */
  async #insist(person: ArenaPerson, wish: Request): Promise<void> {
    const { world, faults, network } = this.#setting;
    const { random } = world;
    let request = wish;
    // Sends the same request from two tabs at once.
    if (random.chance(person.mischief / 3)) void network.send(request);
    for (let tries = 1; tries <= triesMax; tries++) {
      const answer = await network.send(request);
      person.learn(request, answer);
      const refusal = answer?.type === "refused" ? answer.refusal : undefined;
      const isUnsettled = !answer || (refusal?.retryable && refusal.code !== "line.full");
      const isSilent = person.isGone || world.elapsedMs < person.silentUntilMs;
      if (!isUnsettled || this.#isEvening || isSilent || random.chance(0.2)) return;
      await world.pause(random.next() * 300, "waits to ask again");
      faults.count("retry");
      if (request.type === "ask" && random.chance(0.1)) request = { ...request, key: undefined };
    }
  }

  #wish(person: ArenaPerson): Request {
    const { random } = this.#setting.world;
    const { name: by, usedKeys } = person;
    const isAway = random.chance(0.02);
    const stream = isAway ? random.pick(this.streams) : person.home!;
    const look: Request = { type: "look", stream, by };
    if (random.chance(0.01)) return { type: "list", kind: "arena" };
    if (random.chance(0.02) && usedKeys.length > 0) return random.pick(usedKeys);
    // ID5: the network or a forgotten tab repeats a move without its key.
    if (random.chance(0.04) && person.lastMove) return { ...person.lastMove, key: undefined };
    if (random.chance(0.03)) return this.#recall(person, stream);
    const seen = person.sees(stream);
    const command = random.chance(person.mischief)
      ? this.#nonsense(person, seen)
      : sensible(person.name as PersonId, seen, random);
    return command ? this.#ask(person, stream, command) : look;
  }

  #recall({ matches }: ArenaPerson, stream: StreamName): Request {
    const { random } = this.#setting.world;
    const known = [...matches, ...matches].map(Number);
    return { type: "recall", stream, match: random.pick([undefined, random.between(0, 60), ...known]) };
  }

  /** A command from a person who is mistaken, late or cheating. */
  #nonsense(person: ArenaPerson, seen: StateView | undefined): ArenaCommand {
    const { random } = this.#setting.world;
    const who = person.name as PersonId;
    const known = [...person.matches, String(random.between(0, 99)), seen?.match?.id ?? "1"];
    const match = Number(random.pick(known)) as MatchId;
    const turn = random.pick([undefined, random.between(0, 4), seen?.match?.turn ?? 1]);
    return random.pick<ArenaCommand>([
      { type: "move", person: who, match, turn, move: random.pick(allMoves) },
      {
        type: "move",
        person: who,
        match: Number(seen?.match?.id ?? 1) as MatchId,
        turn,
        move: random.pick(allMoves),
      },
      { type: "move", person: who, match, turn, move: "z9" },
      { type: "resign", person: who, match },
      { type: "leave", person: who },
      { type: "join", person: who, name: who, lane: random.between(0, 5) },
      { type: "configure", changes: { maxWins: 1 }, by: who, asOperator: false },
    ]);
  }

  #ask(person: ArenaPerson, stream: StreamName, command: ArenaCommand): Ask {
    const { world, faults } = this.#setting;
    const { name: by, usedKeys } = person;
    if (usedKeys.length > 0 && faults.strikes("reusedKey")) {
      return { type: "ask", stream, by, command, key: world.random.pick(usedKeys).key };
    }
    const key = world.random.chance(0.75) ? `ak${++this.#keys}` : undefined;
    const ask: Ask = { type: "ask", stream, by, command, key };
    if (command.type === "move") person.lastMove = ask;
    if (key !== undefined) usedKeys.push(ask);
    if (usedKeys.length > 20) usedKeys.shift();
    return ask;
  }
}

/** The sensible next command; undefined to look at the arena first. */
function sensible(
  person: PersonId,
  seen: StateView | undefined,
  random: World["random"],
): ArenaCommand | undefined {
  if (!seen) return undefined;
  const { you, match } = seen;
  if (!you)
    return { type: "join", person, name: `Name of ${person}`, lane: random.pick([0, 0, 0, 0, 0, 1, 2, 3]) };
  if (random.chance(0.01)) return { type: "leave", person };
  if (!match || you.state !== "seated") return undefined;
  const id = Number(match.id) as MatchId;
  if (random.chance(0.01)) return { type: "resign", person, match: id };
  if (you.moves.length === 0) return undefined;
  const turn = match.turn !== null && random.chance(0.8) ? match.turn : undefined;
  return { type: "move", person, match: id, turn, move: random.pick(you.moves) };
}
