import type { Refusal } from "@openseat/kernel";
import type { ReadResult } from "../streams.ts";
import { busy } from "./asks.ts";
import type { StreamState } from "./stream-state.ts";

export type Read<State> = (result: { loaded: StreamState<State> } | { refusal: Refusal }) => void;

/** Past it, looking is refused. */
const waitingMax = 65_536;

/** Reads that wait until the state has everything that any node had acknowledged before they came. */
export class Reads<State> {
  /** For these, the version of the stream has to be asked yet. */
  #unchecked: Read<State>[] = [];
  /** For this many it is being asked. */
  #checking = 0;
  /** For these, it is known which version the state must have. */
  #checked: { readonly version: number; readonly read: Read<State> }[] = [];

  get size(): number {
    return this.#unchecked.length + this.#checking + this.#checked.length;
  }

  get hasUnchecked(): boolean {
    return this.#unchecked.length > 0;
  }

  wait<T>(reader: (loaded: StreamState<State>) => T): Promise<ReadResult<T>> {
    if (this.size >= waitingMax) return Promise.resolve({ refusal: busy });
    return new Promise((resolve, reject) => {
      this.#unchecked.push((result) => {
        try {
          resolve("refusal" in result ? result : { value: reader(result.loaded) });
        } catch (error) {
          // Only this reader is told of its error: the others still wait for their answers.
          reject(error);
        }
      });
    });
  }

  /** The caller must pass them on to `noteVersion`, `refuseTaken` or `putBack`. */
  takeUnchecked(): readonly Read<State>[] {
    const taken = this.#unchecked.splice(0);
    this.#checking += taken.length;
    return taken;
  }

  putBack(taken: readonly Read<State>[]): void {
    this.#checking -= taken.length;
    this.#unchecked.unshift(...taken);
  }

  noteVersion(taken: readonly Read<State>[], version: number): void {
    this.#checking -= taken.length;
    for (const read of taken) this.#checked.push({ version, read });
  }

  refuseTaken(taken: readonly Read<State>[], refusal: Refusal): void {
    this.#checking -= taken.length;
    for (const read of taken) read({ refusal });
  }

  /** The state has everything acknowledged so far, once it has this version. */
  noteVersionForAll(version: number): void {
    this.noteVersion(this.takeUnchecked(), version);
  }

  serve(loaded: StreamState<State>): void {
    const waiting = this.#checked;
    this.#checked = waiting.filter(({ version }) => version > loaded.version);
    for (const { version, read } of waiting) if (version <= loaded.version) read({ loaded });
  }

  refuse(refusal: Refusal): void {
    this.refuseTaken(this.takeUnchecked(), refusal);
    for (const { read } of this.#checked.splice(0)) read({ refusal });
  }
}
