import { isDeepStrictEqual } from "node:util";
import type { SecretName, SecretStore } from "../config/secret-store.ts";
import { readSecrets } from "../config/secrets.ts";
import { keysFrom } from "../config/signing-keys.ts";
import { ChainBroken, Chains } from "./chains.ts";
import { Digests } from "./digests.ts";
import type { End, Source, Target, Totals } from "./ends.ts";
import type { Progress } from "./progress.ts";
import { batchesTable, type Row, streamsTable, type Table, tables } from "./tables.ts";

/** The copy has begun and is incomplete. */
export class CopyFailed extends Error {
  override readonly name = "CopyFailed";
}

export interface Copied extends Totals {
  /** Digest of the heads of all streams. */
  readonly digest: string;
}

interface CopyOptions {
  readonly progress: Progress;
  readonly signal: AbortSignal | undefined;
}

/** Copies everything, then reads the target back and compares. Only an identical copy is marked as finished. */
export async function copyLog(source: Source, target: Target, options: CopyOptions): Promise<Copied> {
  await target.begin();
  let writing = Promise.resolve();
  const read = await goThrough(source, async (table, rows, seen) => {
    options.signal?.throwIfAborted();
    options.progress.report("copying", seen);
    await writing;
    // No await: the next page is read while this one is written.
    writing = target.write(table, rows);
    writing.catch(() => {});
  }).catch(because("The source is damaged."));
  await writing;
  await target.continueAfter(await source.lastOutgoing());
  for (const name of secretNames) await copySecret(name, source.secrets, target.secrets);
  const written = await goThrough(target, (_table, _rows, seen) => {
    options.signal?.throwIfAborted();
    options.progress.report("verifying", seen);
  }).catch(because("The copy differs from its source."));
  await assertSame(source, target, written.digests.differences(read.digests));
  options.signal?.throwIfAborted();
  await target.finish();
  return { ...written.seen, digest: written.digests.heads() };
}

type Use = (table: Table, rows: readonly Row[], seen: Totals) => Promise<void> | void;

async function goThrough(end: End, use: Use): Promise<{ digests: Digests; seen: Totals }> {
  const digests = new Digests();
  const chains = new Chains(end.pages(streamsTable));
  for (const table of tables) {
    for await (const rows of end.pages(table)) {
      digests.see(table, rows);
      if (table === batchesTable) await chains.follow(rows);
      await use(table, rows, chains.seen);
    }
    if (table === batchesTable) await chains.end();
  }
  return { digests, seen: chains.seen };
}

function because(sentence: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof ChainBroken)) throw error;
    throw new CopyFailed(`${sentence} ${error.message}`, { cause: error });
  };
}

async function assertSame(source: Source, target: Target, differing: readonly string[]): Promise<void> {
  const found = [...differing];
  if ((await source.lastOutgoing()) !== (await target.lastOutgoing()))
    found.push("the counter of the outbox");
  for (const name of secretNames) {
    const [kept, copied] = [await readSecret(name, source.secrets), await readSecret(name, target.secrets)];
    if (!isDeepStrictEqual(kept, copied)) found.push(`the ${name}`);
  }
  if (found.length > 0) throw new CopyFailed(`The copy differs from its source in: ${found.join("; ")}.`);
}

/** Without these, all tokens and place ids would be invalid. */
const secretNames: readonly SecretName[] = ["secrets", "signing-keys"];

async function copySecret(name: SecretName, from: SecretStore, to: SecretStore): Promise<void> {
  const content = await readSecret(name, from);
  if (content !== undefined) await to.make(name, content);
}

/** Rejects with a sentence if no server could use the secret. */
async function readSecret(name: SecretName, store: SecretStore): Promise<unknown> {
  if (name === "secrets") return readSecrets(store);
  return store.read(name, (content) => {
    keysFrom(content);
    return content;
  });
}
