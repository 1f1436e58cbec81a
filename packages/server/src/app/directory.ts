import type { Directory, DirectoryCommand, DirectoryEvent } from "@openseat/kernel";
import type { AskOutcome } from "../host/stream/asks.ts";
import type { Streams } from "../host/streams.ts";
import type { AsyncResult } from "./result.ts";

type DirectoryStreams = Streams<Directory, DirectoryCommand, DirectoryEvent>;

/** The directory is one stream, because nicknames are unique. */
export class TheDirectory {
  readonly #streams: DirectoryStreams;

  constructor(streams: DirectoryStreams) {
    this.#streams = streams;
  }

  ask(command: DirectoryCommand, by: string, key?: string): Promise<AskOutcome<Directory, DirectoryEvent>> {
    return this.#streams.ask(id, { command, by, key, isNew: newWork.includes(command.type) });
  }

  /** `directory` is undefined before its first entry. */
  read<T>(select: (directory: Directory | undefined) => T): AsyncResult<T> {
    return this.#streams.read(id, select);
  }
}

const id = "main";
const newWork: readonly DirectoryCommand["type"][] = ["take-name", "challenge"];
