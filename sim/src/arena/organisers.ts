import type { ArenaCommand, MatchId } from "@openseat/kernel";
import type { StreamName } from "@openseat/server";
import { missingLadder } from "../ladder/deliveries.ts";
import { lengthened } from "../leases.ts";
import type { Ask, Request } from "../requests.ts";
import { organiser, service } from "./arena.ts";
import type { Setting } from "./people.ts";
import { ArenaPerson } from "./person.ts";
import { chooseArena, chooseChanges, invalid, ratedOn } from "./settings.ts";
import type { StateView } from "./view.ts";

interface Help {
  readonly isEvening: boolean;
  ask(by: ArenaPerson, stream: StreamName, command: ArenaCommand): Ask;
  insist(by: ArenaPerson, wish: Request): Promise<void>;
}

type Create = Extract<ArenaCommand, { readonly type: "create" }>;

/** Organisers who create and configure arenas, and the service that reports results of external games. */
export class ArenaOrganisers {
  readonly #setting: Setting;
  readonly #help: Help;
  readonly #organiser = new ArenaPerson(organiser, { connects: 0, mischief: 0 });
  readonly #service = new ArenaPerson(service, { connects: 0, mischief: 0 });
  readonly #arenas = new Map<StreamName, Create>();

  constructor(setting: Setting, help: Help) {
    this.#setting = setting;
    this.#help = help;
  }

  get streams(): readonly StreamName[] {
    return [...this.#arenas.keys()];
  }

  start(): void {
    const { scenario } = this.#setting;
    for (let number = 1; number <= scenario.arenas; number++) void this.#open(number);
    void this.#manage();
  }

  async #open(number: number): Promise<void> {
    const { world, scenario } = this.#setting;
    const { random } = world;
    const stream: StreamName = `arena/a${number}`;
    const anyLease = chooseArena(random, `Arena ${number}`, organiser, scenario.arenaPace);
    const chosen = { ...anyLease, settings: lengthened(anyLease.settings, scenario.leaseMsMin) };
    const isRated = scenario.ladders > 0 && random.chance(scenario.ratedShare);
    const create = isRated ? ratedOn(`l${random.between(1, scenario.ladders)}`, chosen, random) : chosen;
    this.#arenas.set(stream, create);
    if (!(await this.#hasLadder(create))) return;
    const make = (what: Create) =>
      this.#help.insist(this.#organiser, this.#help.ask(this.#organiser, stream, what));
    if (random.chance(0.1)) await make(invalid(random, create));
    await make(create);
    // Taking the same id again must be refused.
    if (random.chance(0.1)) await make({ ...create, seed: 1 });
    // AR10: a service may stop for good while its arena continues.
    const isForgotten = create.game === null && random.chance(0.3);
    while (!this.#help.isEvening) {
      await world.pause(random.next() * 8 * scenario.arenaThinkMs, "the service thinks");
      const isReported = create.game === null && !isForgotten;
      if (isReported || random.chance(0.02)) await this.#report(stream, create);
    }
  }

  /** A rated arena is only created once its ladder exists. */
  async #hasLadder({ rated }: Create): Promise<boolean> {
    const { world, ladders } = this.#setting;
    const isThere = () =>
      !rated || rated.ladder === missingLadder || ladders().includes(`ladder/${rated.ladder}`);
    while (!isThere() && !this.#help.isEvening) await world.pause(50, "the organiser waits for a ladder");
    return isThere();
  }

  /** AR10: also reports results of catalogue games, which must be refused. */
  async #report(stream: StreamName, { labels = ["1", "2"] }: Create): Promise<void> {
    const { random } = this.#setting.world;
    await this.#help.insist(this.#service, { type: "look", stream, by: service });
    const seen: StateView | undefined = this.#service.sees(stream);
    const stale = Number(this.#service.matches.at(0) ?? 1);
    const match = (random.chance(0.9) ? Number(seen?.match?.id ?? stale) : stale) as MatchId;
    const winner = random.pick([...labels, ...labels, null, random.chance(0.1) ? "nobody" : null]);
    const report: ArenaCommand = { type: "report", match, winner };
    const ask = this.#help.ask(this.#service, stream, report);
    await this.#help.insist(this.#service, ask);
    // A second report of the same match must not produce a second result.
    const other = random.pick<ArenaCommand>([report, { ...report, winner: random.pick(labels) }]);
    if (random.chance(0.2))
      await this.#help.insist(this.#service, this.#help.ask(this.#service, stream, other));
  }

  async #manage(): Promise<void> {
    const { world, scenario } = this.#setting;
    const { random } = world;
    while (!this.#help.isEvening) {
      await world.pause(random.next() * 2 * scenario.operatorThinkMs, "the organiser thinks");
      const [stream, { game }] = random.pick([...this.#arenas]);
      const anyLease = chooseChanges(random, { game, pace: scenario.arenaPace });
      const changes = lengthened(anyLease, scenario.leaseMsMin);
      // Sometimes sent by a person without permission.
      const by = random.chance(0.9) ? this.#organiser : this.#service;
      const command: ArenaCommand = random.chance(0.03)
        ? { type: "end", by: by.name, asOperator: false }
        : { type: "configure", changes, by: by.name, asOperator: false };
      await this.#help.insist(by, this.#help.ask(by, stream, command));
    }
  }
}
