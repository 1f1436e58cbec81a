import { parseArgs } from "node:util";
import { openseatProgram } from "../openseat-server.ts";
import { OptionError, wholeNumber } from "../options.ts";
import type { Attack } from "./attack.ts";
import { usualLengths } from "./run-attack.ts";

export type FloodOptions = {
  readonly only: readonly Attack[];
  readonly seconds: number;
  readonly json: string | undefined;
  readonly server: string;
};

export const help = `npm run flood -- [flags]

Attacks an Openseat server on this machine while polite people use it. Prints how long they waited before, during and 5 s after each
attack, how many of their requests failed, and the memory of the server. Takes about 13 minutes.

  --list           shows the attacks
  --only LIST      selected attacks, by name or first word: pipelining,exports
  --seconds N      how long each attack lasts (${usualLengths.duringSeconds})
  --json FILE      also writes every number to FILE
  --server FILE    attacks another server program, such as an older checkout's main.ts
  --help           shows this

Exits with 1 if an attack succeeded or did not run. An attack succeeds by any of these:

  latency    p99 of polite requests during the attack is above 250 ms. A request belongs to the second in which it was due.
  failures   A polite request failed at any time, from before the attack to the end of the run.
  goodput    At three times the peak, good answers are fewer than 0.9 of the peak. The peak is the rate of good answers when each
             connection waits for its answers. An answer is good if it comes within 1 s. Requests that the attacker holds back, because
             the server has stopped reading their connection, count as offered.
  memory     Memory in use grows by more than 256 MB, or by more than 32 MB in the last third of the attack; or the server holds 16 MB
             more than before after the run, with garbage collected. Slower growth shows with --seconds 60. What the server
             must keep, such as people in a waiting room and open duels, is allowed on top (twice for memory in use).
  disk       One person's requests take more than 16 MB.
  limits     Attackers got more than a limit per address allows.
  death      The server died.

A second is disturbed if the hypervisor or processes outside the run used the processors. Up to 4 disturbed
seconds of each attack are run again, and do not count. Disturbed seconds beyond that count, and the report says so.

Attackers come from addresses of their own in 127.0.0.0/8. Linux has all of them; on macOS most attacks cannot connect, and are reported
as not run. What costs money or needs other systems is covered by tests only: SMS notices, conversations on Telegram and by SMS, tokens of
withdrawn issuers.
`;

export function listText(attacks: readonly Attack[]): string {
  const width = Math.max(...attacks.map(({ name }) => name.length));
  return attacks.map(({ name, about }) => `${name.padEnd(width)}  ${about}\n`).join("");
}

export function parseFloodOptions(
  args: readonly string[],
  attacks: readonly Attack[],
): FloodOptions | "help" | "list" {
  const flags = parseFlags(args);
  if (flags.help) return "help";
  if (flags.list) return "list";
  return {
    only: flags.only === undefined ? attacks : chosen(flags.only, attacks),
    seconds: wholeNumber("--seconds", flags.seconds, usualLengths.duringSeconds, 1, 60),
    json: flags.json,
    server: flags.server ?? openseatProgram,
  };
}

/** In the order of all attacks, whatever the order in the list. */
function chosen(list: string, attacks: readonly Attack[]): readonly Attack[] {
  const words = list.split(",").map((word) => word.trim());
  const fits = ({ name }: Attack, word: string): boolean => name === word || name.startsWith(`${word}-`);
  const unknown = words.find((word) => !attacks.some((attack) => fits(attack, word)));
  if (unknown !== undefined) throw new OptionError(`There is no attack "${unknown}". --list shows them all.`);
  return attacks.filter((attack) => words.some((word) => fits(attack, word)));
}

function parseFlags(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        list: { type: "boolean" },
        only: { type: "string" },
        seconds: { type: "string" },
        json: { type: "string" },
        server: { type: "string" },
        help: { type: "boolean" },
      },
    }).values;
  } catch (error) {
    throw new OptionError((error as Error).message);
  }
}
