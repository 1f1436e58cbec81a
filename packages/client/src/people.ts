import type { Person } from "@openseat/protocol";
import type { Asking } from "./asking.ts";

/** Somebody, and what they are called in chats and duels. */
export type PersonCalled = Person;

/** Nicknames: by them people find each other. */
export class People {
  readonly #asking: Asking;

  constructor(asking: Asking) {
    this.#asking = asking;
  }

  /** What this person is called; null for nothing yet. */
  async nickname(): Promise<string | null> {
    return (await this.#asking.lookAsSomebody<{ person: Person }>("/api/v1/people/me")).person.nickname;
  }

  /** From now on; the one before is free for others. Gives it as it is shown. */
  async takeNickname(nickname: string): Promise<string> {
    const path = "/api/v1/people/me/nickname";
    return (await this.#asking.change<{ person: Person }>(path, { nickname }, "PUT")).person.nickname!;
  }

  /** In any case. */
  async find(nickname: string): Promise<PersonCalled> {
    const path = `/api/v1/people/called/${encodeURIComponent(nickname)}`;
    return (await this.#asking.look<{ person: Person }>(path)).person;
  }

  /** Forgets this person: the nickname is free, open duels are off. */
  async quit(): Promise<void> {
    await this.#asking.change("/api/v1/people/me/quit");
  }
}
