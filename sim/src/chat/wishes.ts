import type { Hand } from "@openseat/kernel";
import type { Random } from "../prng.ts";
import type { Wish } from "./message.ts";

/** Few names, so that several people want the same one; also variants in case and encoding, and forbidden names. */
const names = [
  ...["Ann", "ann", "Bob", "BOB", "Straße", "STRASSE", "Zoë", "zoe\u0308", "ﬁnn", "Finn", "d-4_x", "Κώστας"],
  "ΚΏΣΤΑΣ",
];
const badNames = ["x", "___", "a b", "n".repeat(21)];
const hands: readonly Hand[] = ["rock", "paper", "scissors"];
const knownNamesMax = 6;

/** The names that people know. */
export class KnownNames {
  readonly #random: Random;
  readonly #names: string[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  /** A name to register. */
  newName(): string {
    if (this.#random.chance(0.1)) return this.#random.pick(badNames);
    const name = this.#random.pick(names);
    this.#names.push(name);
    if (this.#names.length > knownNamesMax) this.#names.shift();
    return name;
  }

  /** The name of a person who most likely exists. */
  someone(): string {
    return this.#names.length > 0 && this.#random.chance(0.9) ? this.#random.pick(this.#names) : "Nobody";
  }

  hand(): Hand {
    return this.#random.pick(hands);
  }
}

/** A wish of a person who knows these ladders. */
export function chooseWish(random: Random, knownNames: KnownNames, ladders: readonly string[]): Wish {
  const dice = random.next();
  if (dice < 0.07) return { type: "nick", name: knownNames.newName() };
  if (dice < 0.55) {
    const at = random.chance(0.75) ? { at: knownNames.someone() } : {};
    return { type: "throw", hand: knownNames.hand(), ...at, rated: random.chance(0.5) };
  }
  if (dice < 0.58) return { type: "drop", at: knownNames.someone() };
  if (dice < 0.66) {
    const ladder = random.pick([undefined, undefined, "nowhere", ...ladders]);
    return { type: "register", ...(ladder !== undefined && { ladder }) };
  }
  if (dice < 0.79) {
    const first = random.chance(0.8) ? undefined : knownNames.someone();
    const scores = [random.between(0, 3), random.chance(0.03) ? 5_000 : random.between(0, 3)] as const;
    return { type: "match", players: [first, knownNames.someone()], scores };
  }
  if (dice < 0.9) {
    const of = random.chance(0.6) ? { of: knownNames.someone() } : {};
    return { type: random.pick(["rating", "history", "confirm"]), ...of };
  }
  if (dice < 0.98)
    return { type: random.pick(["games", "top", "undo", "undo", "decline", "help", "nonsense"]) };
  return { type: "quit" };
}
