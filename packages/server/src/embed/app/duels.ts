import type { DuelNumber } from "@openseat/kernel";
import { type DuelList, type DuelOnly, NewDuel, NewThrow } from "@openseat/protocol";
import Type from "typebox";
import type { Actor } from "../actor.ts";
import { type Answered, type CallOptions, type Calls, onlyPersons } from "./calls.ts";

const duelNumber = Type.String({ pattern: "^[1-9][0-9]{0,14}$" });

/** Rock, paper, scissors between two people who know each other's nicknames. */
export class DuelsApi {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  challenge(person: Actor, duel: NewDuel, options: CallOptions = {}): Answered<DuelOnly> {
    const call = { actor: person, by: onlyPersons, options, body: [NewDuel, duel] } as const;
    return this.#calls.act(call, ({ talk }, { who, key, body }) =>
      talk.duels.challenge(who, body, options.address, key),
    );
  }

  throw(person: Actor, id: string, given: NewThrow, options?: CallOptions): Answered<DuelOnly> {
    const call = { ...own(person, id, options), body: [NewThrow, given] } as const;
    return this.#calls.act(call, ({ talk }, { who, key, body }) =>
      talk.duels.throw(who, Number(id) as DuelNumber, body, key),
    );
  }

  /** Cancels a challenge, or declines it. */
  drop(person: Actor, id: string, options?: CallOptions): Answered<DuelOnly> {
    const call = own(person, id, options);
    return this.#calls.act(call, ({ talk }, { who, key }) =>
      talk.duels.drop(who, Number(id) as DuelNumber, key),
    );
  }

  get(person: Actor, id: string): Answered<DuelOnly> {
    const call = own(person, id);
    return this.#calls.act(call, ({ talk }, { who }) => talk.duels.get(who, Number(id) as DuelNumber));
  }

  list(person: Actor): Answered<DuelList> {
    return this.#calls.act({ actor: person, by: onlyPersons }, ({ talk }, { who }) => talk.duels.list(who));
  }
}

function own(actor: Actor, id: string, options?: CallOptions) {
  return { actor, by: onlyPersons, options, takes: [[duelNumber, id, "id"]] as const };
}
