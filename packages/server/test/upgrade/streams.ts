import { createHash } from "node:crypto";
import {
  arenaDecider,
  conversationDecider,
  type Decider,
  directoryDecider,
  gameDecider,
  ladderDecider,
  queueDecider,
} from "@openseat/kernel";
import { encodeSnapshot } from "../../src/host/stream/snapshot-format.ts";
import { decodeEntry, type Entry } from "../../src/log/entry.ts";
import type { Log, StreamName } from "../../src/log/log.ts";
import type { Json } from "../support/http.ts";

const deciders: Readonly<Record<string, Decider<unknown, never, never>>> = {
  game: gameDecider as never,
  queue: queueDecider as never,
  arena: arenaDecider as never,
  ladder: ladderDecider as never,
  directory: directoryDecider as never,
  conversation: conversationDecider as never,
};

/** The version, hash and state of each stream, replayed by the kernel. */
export async function streamsIn(log: Log, names: readonly string[]): Promise<Json> {
  const streams: Json = {};
  for (const name of names as readonly StreamName[]) {
    const { evolve, snapshots } = deciders[name.split("/")[0]];
    let state: unknown;
    for (const { lines } of await log.read(name, 0, 1_000_000))
      for (const { events, at, version } of lines.map((line) => decodeEntry<never>(line)) as Entry<never>[])
        for (const event of events) state = evolve(state, event, at, version);
    const digest = createHash("sha256");
    for (const part of encodeSnapshot(snapshots.save(state))) digest.update(part);
    const { version, hash } = (await log.head(name))!;
    streams[name] = { version, hash, state: digest.digest("hex") };
  }
  return streams;
}
