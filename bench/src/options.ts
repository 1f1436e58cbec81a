import { parseArgs } from "node:util";
import { openseatProgram } from "./openseat-server.ts";

const scenarioNames = [
  "hot",
  "many",
  "can-join",
  "ws",
  "latency",
  "enter",
  "position",
  "heartbeat",
  "positions-at",
  "memory",
  "restart-line",
  "flash",
  "arenas",
  "ladder",
  "chat",
  "nodes",
  "growth",
  "restart",
] as const;
export type ScenarioName = (typeof scenarioNames)[number];

/** Scenarios in which two versions of the server can be compared. */
const versionScenarioNames: readonly ScenarioName[] = [
  "hot",
  "many",
  "can-join",
  "ws",
  "enter",
  "position",
  "heartbeat",
];

export type Options = {
  readonly only: ReadonlySet<ScenarioName>;
  readonly pairs: number;
  readonly sliceMs: number;
  readonly connections: number;
  readonly wsConnections: number;
  readonly wsInFlight: number;
  /** Participants in the large game, for growth and restarts. */
  readonly participants: number;
  /**
   * People in the long lines and on the long ladder, for positions, ranks, memory and restarts. Also in the large
   * directory, up to its limit.
   */
  readonly waiting: number;
  /** People in the line for the position and heartbeat scenarios. */
  readonly waitingAtFirst: number;
  /** The number of people asked about in a long line or ladder: too many for a processor's cache. */
  readonly placesAskedMax: number;
  /** Duration of a slice on the long lines and ladders. */
  readonly lineSliceMs: number;
  /** How long a server stays idle before its memory is read. */
  readonly quietMs: number;
  readonly flashPeople: number;
  /** The arrival period, and the time after it. */
  readonly flashMs: number;
  readonly flashAfterMs: number;
  /** How long admitted people stay. */
  readonly flashStayMs: number;
  /** Numbers of simultaneous arenas, measured one after the other. */
  readonly arenas: readonly number[];
  readonly pacedMs: number;
  readonly pacedPairs: number;
  readonly restarts: number;
  readonly json: string | undefined;
  readonly server: string;
  /** Another version of the server, measured alternately with this one instead of everything else. */
  readonly before: string | undefined;
};

export const help = `npm run bench -- [flags]

Compares Openseat with a bare node:http server (arenas: a bare ws server; ladder and nodes: also PostgreSQL) in alternating slices
of one run. Takes about half an hour.

  --quick          a short run, at most about 20 s per scenario (nodes: a minute): fewer and shorter slices, 100,000 people
  --only LIST      some of: ${scenarioNames.slice(0, 7).join(",")},
                   ${scenarioNames.slice(7).join(",")}
  --pairs N        pairs of slices per scenario (7)
  --slice-ms N     length of a slice in milliseconds (1500)
  --connections N  connections over HTTP (256); WebSockets are a quarter of it
  --waiting N      people in the long lines, on the long ladder and in the directory (1000000)
  --json FILE      also writes every number to FILE
  --server FILE    measures another server program, such as an older checkout's main.ts
  --before FILE    compares another server program with this one in alternating slices
                   (only ${versionScenarioNames.join(", ")})
  --help           shows this
`;

/** An invalid flag; the message is for the person who typed it. */
export class OptionError extends Error {
  override name = "OptionError";
}

export function parseOptions(args: readonly string[]): Options | "help" {
  const flags = parseFlags(args);
  if (flags.help) return "help";
  const quick = flags.quick === true;
  const connections = wholeNumber("--connections", flags.connections, 256, 1, 4096);
  return {
    only: scenarios(flags.only, flags.before === undefined ? scenarioNames : versionScenarioNames),
    pairs: wholeNumber("--pairs", flags.pairs, quick ? 3 : 7, 1, 100),
    sliceMs: wholeNumber("--slice-ms", flags["slice-ms"], quick ? 500 : 1500, 100, 10_000),
    connections,
    wsConnections: Math.ceil(connections / 4),
    wsInFlight: 16,
    participants: quick ? 100_000 : 1_000_000,
    waiting: wholeNumber("--waiting", flags.waiting, quick ? 100_000 : 1_000_000, 100_000, 1_000_000),
    waitingAtFirst: quick ? 20_000 : 100_000,
    placesAskedMax: quick ? 5_000 : 100_000,
    lineSliceMs: quick ? 150 : 750,
    quietMs: quick ? 1_000 : 3_000,
    flashPeople: quick ? 20_000 : 100_000,
    flashMs: quick ? 2_000 : 10_000,
    flashAfterMs: quick ? 1_000 : 5_000,
    flashStayMs: quick ? 1_000 : 5_000,
    arenas: quick ? [100] : [1_000, 100],
    pacedMs: quick ? 1500 : 4000,
    pacedPairs: quick ? 1 : 3,
    restarts: quick ? 1 : 3,
    json: flags.json,
    server: flags.server ?? openseatProgram,
    before: flags.before,
  };
}

function parseFlags(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        quick: { type: "boolean" },
        only: { type: "string" },
        pairs: { type: "string" },
        "slice-ms": { type: "string" },
        connections: { type: "string" },
        waiting: { type: "string" },
        json: { type: "string" },
        server: { type: "string" },
        before: { type: "string" },
        help: { type: "boolean" },
      },
    }).values;
  } catch (error) {
    // Only Node's first sentence says what is wrong; the rest suggests an escape that is useless here.
    throw new OptionError(`${(error as Error).message.split(/\.(?: |$)/, 1)[0]}.`);
  }
}

function scenarios(list: string | undefined, known: readonly ScenarioName[]): ReadonlySet<ScenarioName> {
  const names = list === undefined ? known : list.split(",").map((name) => name.trim());
  const unknown = names.find((name) => !known.some((each) => each === name));
  if (unknown !== undefined)
    throw new OptionError(`--only accepts ${known.join(", ")}, but not "${unknown}".`);
  return new Set(names as ScenarioName[]);
}

export function wholeNumber(
  flag: string,
  text: string | undefined,
  usual: number,
  min: number,
  max: number,
): number {
  if (text === undefined) return usual;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max) {
    throw new OptionError(`${flag} must be a whole number from ${min} to ${max}, but is "${text}".`);
  }
  return value;
}
