import type { Refusal } from "@openseat/kernel";
import type { Seen } from "../streams.ts";
import { busy } from "./asks.ts";
import type { StreamState } from "./stream-state.ts";

export type Read<State> = (result: { loaded: StreamState<State> } | { refusal: Refusal }) => void;

/** Past it, looking is refused. */
const waitingMax = 65_536;

/** Reads that wait until the state has everything that any node had acknowledged before they came. */
export class Reads<State> {
  /** For these, the version of the stream has to be asked yet. */
  #unsure: Read<State>[] = [];
  /** For this many it is being asked. */
  #asked = 0;
  /** For these, it is known which version the state must have. */
  #sure: { readonly version: number; readonly read: Read<State> }[] = [];

  get size(): number {
    return this.#unsure.length + this.#asked + this.#sure.length;
  }

  get hasUnsure(): boolean {
    return this.#unsure.length > 0;
  }

  wait<T>(look: (loaded: StreamState<State>) => T): Promise<Seen<T>> {
    if (this.size >= waitingMax) return Promise.resolve({ refusal: busy });
    return new Promise((resolve, reject) => {
      this.#unsure.push((result) => {
        try {
          resolve("refusal" in result ? result : { value: look(result.loaded) });
        } catch (error) {
          // Only this reader is told of its error: the others still wait for their answers.
          reject(error);
        }
      });
    });
  }

  /** The caller must pass them on to `assure`, `refuseTaken` or `putBack`. */
  takeUnsure(): readonly Read<State>[] {
    const taken = this.#unsure.splice(0);
    this.#asked += taken.length;
    return taken;
  }

  putBack(taken: readonly Read<State>[]): void {
    this.#asked -= taken.length;
    this.#unsure.unshift(...taken);
  }

  assure(taken: readonly Read<State>[], version: number): void {
    this.#asked -= taken.length;
    for (const read of taken) this.#sure.push({ version, read });
  }

  refuseTaken(taken: readonly Read<State>[], refusal: Refusal): void {
    this.#asked -= taken.length;
    for (const read of taken) read({ refusal });
  }

  /** The state has everything acknowledged so far, once it has this version. */
  assureAll(version: number): void {
    this.assure(this.takeUnsure(), version);
  }

  serve(loaded: StreamState<State>): void {
    const waiting = this.#sure;
    this.#sure = waiting.filter(({ version }) => version > loaded.version);
    for (const { version, read } of waiting) if (version <= loaded.version) read({ loaded });
  }

  refuse(refusal: Refusal): void {
    this.refuseTaken(this.takeUnsure(), refusal);
    for (const { read } of this.#sure.splice(0)) read({ refusal });
  }
}
