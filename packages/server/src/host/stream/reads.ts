import type { Refusal } from "@openseat/kernel";
import type { ReadResult } from "../streams.ts";
import { busy } from "./asks.ts";
import type { StreamState } from "./stream-state.ts";

export type Read<State> = (result: { loaded: StreamState<State> } | { refusal: Refusal }) => void;

/** Beyond this many waiting reads, further ones are refused. */
const waitingMax = 65_536;

/** Reads that wait until the state includes everything that any node acknowledged before they arrived. */
export class Reads<State> {
  /** Reads for which the stream's version must still be requested. */
  #unchecked: Read<State>[] = [];
  /** Number of reads for which the version is being requested. */
  #checking = 0;
  /** Reads with the version that the state must have. */
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
          // Pass the error to this reader only: the others still wait for their answers.
          reject(error);
        }
      });
    });
  }

  /** The caller must pass the result to `noteVersion`, `refuseTaken` or `putBack`. */
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

  /** At this version, the state includes everything acknowledged so far. */
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
