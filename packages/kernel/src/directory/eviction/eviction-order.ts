import { IndexedHeap } from "../../collections/indexed-heap.ts";
import type { PersonId } from "../../values.ts";
import { directoryLimits } from "../limits.ts";

/**
 * LM6: the order of eviction when there are too many people: the lightest first. While a network has more than its
 * share, the lightest person of the network with most people goes first: one attacker can have many guests, but few
 * networks.
 */
export class EvictionOrder {
  readonly #all = new IndexedHeap<PersonId>();
  readonly #networkOf = new Map<PersonId, string>();
  readonly #byNetwork = new Map<string, IndexedHeap<PersonId>>();
  /** The network with most people first. */
  readonly #networks = new IndexedHeap<string>();

  get first(): PersonId | undefined {
    const largest = this.#networks.first;
    const people = largest === undefined ? undefined : this.#byNetwork.get(largest);
    return people && people.size > directoryLimits.peopleOfNetworkMax ? people.first : this.#all.first;
  }

  put(person: PersonId, weight: number, network: string | undefined): void {
    this.#all.put(person, weight);
    if (network === undefined) return;
    const people = this.#byNetwork.get(network) ?? new IndexedHeap<PersonId>();
    people.put(person, weight);
    this.#networkOf.set(person, network);
    this.#byNetwork.set(network, people);
    this.#networks.put(network, -people.size);
  }

  remove(person: PersonId): void {
    this.#all.remove(person);
    const network = this.#networkOf.get(person);
    if (network === undefined) return;
    this.#networkOf.delete(person);
    const people = this.#byNetwork.get(network)!;
    people.remove(person);
    if (people.size > 0) this.#networks.put(network, -people.size);
    else {
      this.#byNetwork.delete(network);
      this.#networks.remove(network);
    }
  }
}
