import {
  type DirectoryEvent,
  nobodyCalled,
  type PersonId,
  personCalled,
  type Refusal,
} from "@openseat/kernel";
import type { Person } from "@openseat/protocol";
import { type Answer, failure, success } from "../../transport/http/envelope.ts";
import type { TheDirectory } from "../directory.ts";
import { type Identity, personOf } from "../identity.ts";
import type { NetworkHashes } from "../network-hashes.ts";

/** Who is called what. */
export class People {
  readonly #directory: TheDirectory;
  readonly #networks: NetworkHashes;

  constructor(directory: TheDirectory, networks: NetworkHashes) {
    this.#directory = directory;
    this.#networks = networks;
  }

  async me(identity: Identity): Promise<Answer> {
    const person = personOf(identity);
    const found = await this.#directory.read((directory) => directory?.people.get(person)?.nickname ?? null);
    if ("refusal" in found) return failure(found.refusal);
    return success(200, "You.", { person: personView(person, found.value) });
  }

  async called(name: string): Promise<Answer> {
    const found = await this.#directory.read((directory) => {
      const person = directory && personCalled(directory, name);
      return person === undefined ? undefined : personView(person, directory!.people.get(person)!.nickname);
    });
    if ("refusal" in found) return failure(found.refusal);
    if (found.value === undefined) return failure(nobodyCalled(name));
    return success(200, "The person of this name.", { person: found.value });
  }

  /** NM1–NM3. */
  async takeName(identity: Identity, nickname: string, address: string, key?: string): Promise<Answer> {
    const person = personOf(identity);
    const network = this.#networks.of(address);
    const outcome = await this.#directory.ask({ type: "take-name", person, nickname, network }, person, key);
    if ("refusal" in outcome) return keptName(person, outcome.refusal);
    const event = outcome.entry.events[0] as Extract<DirectoryEvent, { readonly type: "named" }>;
    const message = `You are ${event.nickname} now.`;
    return success(200, message, { person: personView(person, event.nickname) }, outcome.replayed);
  }

  /** CH5: by themselves, or by an operator whom they asked. */
  async quit({ by }: Identity, person: PersonId, key?: string): Promise<Answer> {
    const outcome = await this.#directory.ask({ type: "quit", person }, by, key);
    if ("refusal" in outcome) return failure(outcome.refusal);
    const who = by === person ? "You are forgotten: your" : "They are forgotten: their";
    const message = `${who} nickname is free, and open duels are off.`;
    return success(200, message, { person: personView(person, null) }, outcome.replayed);
  }

  /** Null for none, and when it cannot be told just now: a name is not worth refusing somebody for. */
  async nicknameOf(person: PersonId): Promise<string | null> {
    const found = await this.#directory.read((directory) => directory?.people.get(person)?.nickname);
    return "refusal" in found ? null : (found.value ?? null);
  }
}

/** NM3: to ask for one's own nickname again succeeds and writes nothing. */
function keptName(person: PersonId, refusal: Refusal): Answer {
  const { code, message, data } = refusal;
  if (code !== "nickname.same") return failure(refusal);
  return success(200, message, { person: personView(person, String(data!.nickname)) });
}

function personView(userId: PersonId, nickname: string | null): Person {
  return { userId, nickname };
}
