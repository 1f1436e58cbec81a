import {
  type Directory,
  type DirectoryCommand,
  type DuelNumber,
  type DuelSeen,
  duelNotFound,
  duelSeenBy,
  duelsOf,
  isBanned,
  ladderNotFound,
  ladderTakesNoDuels,
  nameOf,
  type PersonId,
  personCalled,
  playerBanned,
  playerCalled,
  type Refusal,
  takesDuels,
} from "@openseat/kernel";
import type { Duel, DuelList, DuelOnly, NewDuel, NewThrow } from "@openseat/protocol";
import { duelMadeView, duelView } from "../../views/duel-views.ts";
import type { TheDirectory } from "../directory.ts";
import { type Identity, personOf } from "../identity.ts";
import type { LadderStreams } from "../ladders/ladders.ts";
import type { NetworkHashes } from "../network-hashes.ts";
import { type AsyncResult, answered, flattened, type Result, refused } from "../result.ts";

/** CH4: rock-paper-scissors between two people who know each other's nicknames. */
export class Duels {
  readonly #directory: TheDirectory;
  readonly #ladders: LadderStreams;
  readonly #networks: NetworkHashes;

  constructor(directory: TheDirectory, ladders: LadderStreams, networks: NetworkHashes) {
    this.#directory = directory;
    this.#ladders = ladders;
    this.#networks = networks;
  }

  async challenge(
    identity: Identity,
    given: NewDuel,
    address: string | undefined,
    key?: string,
  ): AsyncResult<DuelOnly> {
    const opponentIn = (directory: Directory) => personCalled(directory, given.opponent);
    const person = personOf(identity);
    const obstacle = await this.#obstacleTo(given.ladder, person, opponentIn);
    const { opponent, throw: hand = null, ladder = null } = given;
    const duel = { person, opponent, hand, ladder, network: this.#networks.of(address), obstacle };
    return this.#change(identity, { type: "challenge", ...duel }, key);
  }

  async throw(identity: Identity, duel: DuelNumber, given: NewThrow, key?: string): AsyncResult<DuelOnly> {
    const person = personOf(identity);
    const opponentIn = (directory: Directory) =>
      directory.duels.get(duel)?.players.find((player) => player !== person);
    const obstacle = await this.#obstacleTo(given.ladder, person, opponentIn);
    const { throw: hand, ladder = null } = given;
    return this.#change(identity, { type: "throw", person, duel, hand, ladder, obstacle }, key);
  }

  drop(identity: Identity, duel: DuelNumber, key?: string): AsyncResult<DuelOnly> {
    return this.#change(identity, { type: "drop", person: personOf(identity), duel }, key);
  }

  async get(identity: Identity, number: DuelNumber): AsyncResult<DuelOnly> {
    const found = await this.#directory.read((directory): Result<DuelOnly> => {
      const seen = duelSeenBy(directory, personOf(identity), number);
      return seen ? { value: { duel: viewIn(directory!, seen) } } : refused(duelNotFound);
    });
    return flattened(found);
  }

  list(identity: Identity): AsyncResult<DuelList> {
    return this.#directory.read((directory) => {
      const { open, finished } = duelsOf(directory, personOf(identity));
      const view = (seen: DuelSeen) => viewIn(directory!, seen);
      return { open: open.map(view), finished: finished.map(view) };
    });
  }

  async #change(identity: Identity, command: DirectoryCommand, key?: string): AsyncResult<DuelOnly> {
    const outcome = await this.#directory.ask(command, identity.by, key);
    return answered(outcome, ({ entry }) => ({ duel: duelMadeView(entry.events, entry.at) }));
  }

  /** Checked before the throw: a result that the ladder rejects would be lost. */
  async #obstacleTo(
    ladder: string | undefined,
    person: PersonId,
    opponentIn: (directory: Directory) => PersonId | undefined,
  ): Promise<Refusal | undefined> {
    if (ladder === undefined) return undefined;
    const opponent = await this.#directory.read((directory) => directory && opponentIn(directory));
    if ("refusal" in opponent) return opponent.refusal;
    const found = await this.#ladders.read(ladder, (state) => {
      if (state === undefined) return ladderNotFound;
      if (!takesDuels(state)) return ladderTakesNoDuels;
      const isOut = (who: PersonId) => isBanned(state, playerCalled(state, who));
      const banned = [person, ...(opponent.value === undefined ? [] : [opponent.value])].find(isOut);
      return banned && playerBanned(banned);
    });
    return "refusal" in found ? found.refusal : found.value;
  }
}

function viewIn(directory: Directory, seen: DuelSeen): Duel {
  return duelView(seen, (seat) => nameOf(directory, seen.duel.players[seat] as PersonId));
}
