import type { Person } from "@openseat/protocol";
import type { Asking } from "./asking.ts";

/** A person with their nickname. */
export type PersonCalled = Person;

/** Nicknames, which people use to find each other. */
export class People {
  readonly #asking: Asking;

  constructor(asking: Asking) {
    this.#asking = asking;
  }

  /** This person's nickname; null if they have none. */
  async nickname(): Promise<string | null> {
    return (await this.#asking.lookAsSomebody<{ person: Person }>("/api/v1/people/me")).person.nickname;
  }

  /** Sets the nickname and frees the old one. Returns it as it is shown. */
  async takeNickname(nickname: string): Promise<string> {
    const path = "/api/v1/people/me/nickname";
    return (await this.#asking.change<{ person: Person }>(path, { nickname }, "PUT")).person.nickname!;
  }

  /** Finds a person by nickname, ignoring case. */
  async find(nickname: string): Promise<PersonCalled> {
    const path = `/api/v1/people/called/${encodeURIComponent(nickname)}`;
    return (await this.#asking.look<{ person: Person }>(path)).person;
  }

  /** Frees this person's nickname and cancels their open duels. */
  async quit(): Promise<void> {
    await this.#asking.change("/api/v1/people/me/quit");
  }
}
