import type { PersonId } from "@openseat/kernel";
import { NewNickname, type PersonOnly, UserId } from "@openseat/protocol";
import Type from "typebox";
import type { NameTaken } from "../../app/people/people.ts";
import type { Actor, operator } from "../actor.ts";
import { type Answered, type CallOptions, type Calls, onlyOperators, onlyPersons } from "./calls.ts";

const nicknameGiven = Type.String({ minLength: 1, maxLength: 100 });

/** Nicknames, by which people find each other. */
export class PeopleApi {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  get(person: Actor): Answered<PersonOnly> {
    return this.#calls.act({ actor: person, by: onlyPersons }, ({ talk }, { who }) => talk.people.me(who));
  }

  /** The person with this nickname, in any case. */
  called(nickname: string): Answered<PersonOnly> {
    const takes = [[nicknameGiven, nickname, "nickname"]] as const;
    return this.#calls.read(takes, ({ talk }) => talk.people.called(nickname));
  }

  takeName(person: Actor, nickname: string, options: CallOptions = {}): Answered<NameTaken> {
    const call = { actor: person, by: onlyPersons, options, body: [NewNickname, { nickname }] } as const;
    return this.#calls.act(call, ({ talk }, { who, key, body }) =>
      talk.people.takeName(who, body.nickname, options.address, key),
    );
  }

  /** Frees the nickname and cancels open duels. */
  quit(person: Actor, options?: CallOptions): Answered<PersonOnly> {
    const call = { actor: person, by: onlyPersons, options };
    return this.#calls.act(call, ({ talk }, { who, key }) => talk.people.quit(who, who.by as PersonId, key));
  }

  /** The same for another person. */
  forget(actor: typeof operator, userId: string, options?: CallOptions): Answered<PersonOnly> {
    const call = { actor, by: onlyOperators, options, takes: [[UserId, userId, "userId"]] as const };
    return this.#calls.act(call, ({ talk }, { who, key }) => talk.people.quit(who, userId as PersonId, key));
  }
}
