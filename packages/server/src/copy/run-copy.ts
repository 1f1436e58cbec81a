import { parseArgs } from "node:util";
import { type Address, addressFrom, openEnds } from "./addresses.ts";
import { type Copied, copyLog } from "./copy-log.ts";
import { inFigures, type Output, Progress } from "./progress.ts";

export const copyHelp = `Copies a whole log with its secrets from one store to another, and verifies the copy.

Usage: npx openseat copy --from STORE --to STORE

A store is
  sqlite:FOLDER                        the data folder of a server without a database, as sqlite:data
  postgres://USER:PASSWORD@HOST/NAME   a PostgreSQL database

Stop all servers on both stores first. The target must not contain a log. The source is not changed. No server starts on an
unfinished copy: if copying fails or is stopped, run the same command again to restart it.
`;

const usage = "Run npx openseat copy --help for usage.";

interface Io {
  readonly stderr: Output;
  readonly stdout: Output;
  readonly signal?: AbortSignal | undefined;
}

/** `problem` is a sentence. */
type Order = { readonly from: Address; readonly to: Address } | "help" | { readonly problem: string };

/** `openseat copy`. Returns the exit code: 1 when the copy failed, 2 when the arguments are wrong. */
export async function runCopy(args: readonly string[], io: Io): Promise<number> {
  const order = orderFrom(args);
  if (order === "help") {
    io.stdout.write(copyHelp);
    return 0;
  }
  if ("problem" in order) {
    io.stderr.write(`${order.problem} ${usage}\n`);
    return 2;
  }
  try {
    io.stdout.write(reportOf(await carryOut(order.from, order.to, io)));
    return 0;
  } catch (error) {
    io.stderr.write(`${sentenceOf(error as Error)}\n`);
    return 1;
  }
}

function orderFrom(args: readonly string[]): Order {
  const options = { from: { type: "string" }, to: { type: "string" }, help: { type: "boolean" } } as const;
  let given: { from?: string | undefined; to?: string | undefined; help?: boolean | undefined };
  try {
    given = parseArgs({ args: [...args], options, strict: true }).values;
  } catch {
    // Do not use the parser's message: it quotes the arguments, which may contain a password.
    return { problem: "One of the arguments is unknown or has no value." };
  }
  if (given.help) return "help";
  const [from, to] = [given.from, given.to].map((text) => addressFrom(text ?? ""));
  if (from && to) return { from, to };
  return {
    problem: `${from ? "--to" : "--from"} must be sqlite:FOLDER or the postgres:// address of a database.`,
  };
}

async function carryOut(from: Address, to: Address, { stderr, signal }: Io): Promise<Copied> {
  const { source, target } = await openEnds(from, to, signal);
  try {
    stderr.write(`Copying ${source.shown} to ${target.shown}.\n`);
    const progress = new Progress(await source.totals(), stderr, () => performance.now());
    try {
      return await copyLog(source, target, { progress, signal });
    } catch (error) {
      const why = signal?.aborted ? "Stopped." : sentenceOf(error as Error);
      throw new Error(`${why} ${leftIn(target.shown)}`, { cause: error });
    } finally {
      progress.end();
    }
  } finally {
    await source.close();
    await target.close();
  }
}

/** Messages from the system or SQLite are not sentences. */
function sentenceOf({ message }: Error): string {
  return message.endsWith(".") ? message : `The copy failed: ${message}.`;
}

function leftIn(target: string): string {
  return `The copy in ${target} is incomplete, and no server starts on it. Run the same command again to restart it.`;
}

function reportOf({ streams, entries, bytes, digest }: Copied): string {
  return `Copied ${inFigures(streams)} streams, ${inFigures(entries)} entries, ${inFigures(bytes)} bytes; digest of all heads ${digest}; verified.\n`;
}
