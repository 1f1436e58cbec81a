import type { Directory, DirectoryCommand, DirectoryEvent, Refusal } from "@openseat/kernel";
import type { Outcome } from "../host/stream/asks.ts";
import type { Streams } from "../host/streams.ts";

type DirectoryStreams = Streams<Directory, DirectoryCommand, DirectoryEvent>;

/** The one directory, which is one stream: a nickname can only be had once if one decides who has it. */
export class TheDirectory {
  readonly #streams: DirectoryStreams;

  constructor(streams: DirectoryStreams) {
    this.#streams = streams;
  }

  ask(command: DirectoryCommand, by: string, key?: string): Promise<Outcome<Directory, DirectoryEvent>> {
    return this.#streams.ask(id, { command, by, key, isNew: newWork.includes(command.type) });
  }

  /** `directory` is undefined before anybody has come. */
  read<T>(
    look: (directory: Directory | undefined) => T,
  ): Promise<{ readonly value: T } | { readonly refusal: Refusal }> {
    return this.#streams.read(id, look);
  }
}

const id = "main";
const newWork: readonly DirectoryCommand["type"][] = ["take-name", "challenge"];
