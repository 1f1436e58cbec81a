import { type DirectoryEvent, nobodyCalled, type PersonId, personCalled } from "@openseat/kernel";
import type { Person, PersonOnly } from "@openseat/protocol";
import type { TheDirectory } from "../directory.ts";
import { type Identity, personOf } from "../identity.ts";
import type { NetworkHashes } from "../network-hashes.ts";
import { type AsyncResult, answered, flattened, mapped, type Result, refused } from "../result.ts";

export interface NameTaken {
  readonly person: Person;
  /** NM3: whether they had this nickname already. */
  readonly wasTheirs: boolean;
}

export class People {
  readonly #directory: TheDirectory;
  readonly #networks: NetworkHashes;

  constructor(directory: TheDirectory, networks: NetworkHashes) {
    this.#directory = directory;
    this.#networks = networks;
  }

  async me(identity: Identity): AsyncResult<PersonOnly> {
    const person = personOf(identity);
    const found = await this.#directory.read((directory) => directory?.people.get(person)?.nickname ?? null);
    return mapped(found, (nickname) => onlyPerson(person, nickname));
  }

  async called(name: string): AsyncResult<PersonOnly> {
    const found = await this.#directory.read((directory): Result<PersonOnly> => {
      const person = directory && personCalled(directory, name);
      if (person === undefined) return refused(nobodyCalled(name));
      return { value: onlyPerson(person, directory!.people.get(person)!.nickname) };
    });
    return flattened(found);
  }

  /** NM1–NM3. */
  async takeName(
    identity: Identity,
    nickname: string,
    address: string | undefined,
    key?: string,
  ): AsyncResult<NameTaken> {
    const person = personOf(identity);
    const network = this.#networks.of(address);
    const outcome = await this.#directory.ask({ type: "take-name", person, nickname, network }, person, key);
    if ("refusal" in outcome) {
      const { code, data } = outcome.refusal;
      // NM3: asking for your own nickname again succeeds and writes nothing.
      if (code !== "nickname.same") return outcome;
      return { value: { ...onlyPerson(person, String(data!.nickname)), wasTheirs: true } };
    }
    const { nickname: taken } = outcome.entry.events[0] as Extract<
      DirectoryEvent,
      { readonly type: "named" }
    >;
    return { value: { ...onlyPerson(person, taken), wasTheirs: false }, replayed: outcome.replayed };
  }

  /** CH5. */
  async quit({ by }: Identity, person: PersonId, key?: string): AsyncResult<PersonOnly> {
    const outcome = await this.#directory.ask({ type: "quit", person }, by, key);
    return answered(outcome, () => onlyPerson(person, null));
  }

  /** Null if there is none or it cannot be read now: a missing nickname must not fail a join. */
  async nicknameOf(person: PersonId): Promise<string | null> {
    const found = await this.#directory.read((directory) => directory?.people.get(person)?.nickname);
    return "refusal" in found ? null : (found.value ?? null);
  }
}

function onlyPerson(userId: PersonId, nickname: string | null): PersonOnly {
  return { person: { userId, nickname } };
}
