import type { Person } from "@openseat/protocol";
import type { Requests } from "./requests.ts";

/** A person with their nickname. */
export type PersonCalled = Person;

/** Nicknames, which people use to find each other. */
export class People {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  /** This person's nickname; null if they have none. */
  async nickname(): Promise<string | null> {
    return (await this.#requests.readAsPerson<{ person: Person }>("/api/v1/people/me")).person.nickname;
  }

  /** Sets the nickname and frees the old one. Returns it as it is shown. */
  async takeNickname(nickname: string): Promise<string> {
    const path = "/api/v1/people/me/nickname";
    return (await this.#requests.write<{ person: Person }>(path, { nickname }, "PUT")).person.nickname!;
  }

  /** Finds a person by nickname, ignoring case. */
  async find(nickname: string): Promise<PersonCalled> {
    const path = `/api/v1/nicknames/${encodeURIComponent(nickname)}`;
    return (await this.#requests.read<{ person: Person }>(path)).person;
  }

  /** Frees this person's nickname and cancels their open duels. */
  async quit(): Promise<void> {
    await this.#requests.write("/api/v1/people/me/quit");
  }
}
