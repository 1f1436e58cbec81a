import { parseArgs } from "node:util";
import { defaultDepth, exploreAll } from "./exhaustive/command.ts";
import { type Report, simulate } from "./run.ts";
import { manyArenas } from "./scenario.ts";
import { Totals } from "./table.ts";

const help = `Runs Openseat in simulated worlds full of faults, and checks that no rule is broken.

  npm run sim                       200 worlds, from seed 1
  npm run sim -- --seeds 2000       more worlds
  npm run sim -- --from 5000        starting from another seed
  npm run sim -- --seed 8812        one world, printed step by step
  npm run sim -- --steps 400        the number of steps per world (default: the seed's choice)
  npm run sim -- --nodes            only worlds with several nodes on one store
  npm run sim -- --arenas           one large world: 1,000 arenas and 10,000 people on one server (1–2 minutes)
  npm run sim -- --exhaustive       small worlds: every order of ${defaultDepth} steps (three people, time, crashes)
  npm run sim -- --exhaustive --depth 8   deeper: each extra step takes about five times as long
`;

interface Options {
  readonly from: number;
  readonly seeds: number;
  readonly steps: number | undefined;
  readonly verbose: boolean;
  /** Only run worlds with several nodes. */
  readonly several: boolean;
  /** Run one large world of arenas. */
  readonly isLarge: boolean;
  /** Explore small worlds to this depth; undefined to run the simulator. */
  readonly depth: number | undefined;
}

/** The bounds of each number. */
const bounds = {
  seeds: [1, 1_000_000_000],
  from: [0, 2 ** 32 - 1],
  seed: [0, 2 ** 32 - 1],
  steps: [1, 1_000_000_000],
  depth: [1, 20],
} as const;

/** The parsed command line, or a sentence that says what is wrong with it. */
function parseOptions(args: string[]): Options | "help" | { readonly wrong: string } {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  const options = {
    seeds: text,
    from: text,
    seed: text,
    steps: text,
    nodes: flag,
    arenas: flag,
    exhaustive: flag,
    depth: text,
    help: flag,
  } as const;
  let values: Partial<Record<"seeds" | "from" | "seed" | "steps" | "depth", string>> & {
    help?: boolean;
    arenas?: boolean;
    nodes?: boolean;
    exhaustive?: boolean;
  };
  try {
    values = parseArgs({ args, options }).values;
  } catch (error) {
    return { wrong: (error as Error).message };
  }
  if (values.help) return "help";
  for (const [name, [least, most]] of Object.entries(bounds)) {
    const value = values[name as keyof typeof bounds];
    if (value === undefined || (/^\d{1,10}$/.test(value) && Number(value) >= least && Number(value) <= most))
      continue;
    return { wrong: `--${name} must be a whole number from ${least} to ${most}, but is "${value}".` };
  }
  if (values.seed !== undefined && (values.seeds !== undefined || values.from !== undefined)) {
    return { wrong: "--seed runs one world and cannot be combined with --seeds or --from." };
  }
  if (values.depth !== undefined && !values.exhaustive) return { wrong: "--depth needs --exhaustive." };
  const isSimulation = Object.keys(values).some((name) => name !== "exhaustive" && name !== "depth");
  if (values.exhaustive && isSimulation) return { wrong: "--exhaustive can only be combined with --depth." };
  const number = (value: string | undefined) => (value === undefined ? undefined : Number(value));
  const isLarge = values.arenas === true;
  return {
    from: number(values.seed ?? values.from) ?? 1,
    seeds: values.seed === undefined ? (number(values.seeds) ?? (isLarge ? 1 : 200)) : 1,
    steps: number(values.steps),
    // The history of a large world is too long to print.
    verbose: values.seed !== undefined && !isLarge,
    several: values.nodes === true,
    isLarge,
    depth: values.exhaustive ? (number(values.depth) ?? defaultDepth) : undefined,
  };
}

/** A bar on a terminal; otherwise an occasional line. */
function progress(total: number): (done: number, failed: number) => void {
  const width = 40;
  const wanted = process.stderr.isTTY ? 200 : 10;
  return (done, failed) => {
    if (Math.floor((done * wanted) / total) === Math.floor(((done - 1) * wanted) / total)) return;
    const filled = Math.floor((done / total) * width);
    const bar = `${"█".repeat(filled)}${"░".repeat(width - filled)}`;
    const figures = `${done} of ${total} seeds${failed > 0 ? `, ${failed} broke a rule` : ""}`;
    if (!process.stderr.isTTY) process.stderr.write(`${figures}\n`);
    else process.stderr.write(`\r${bar} ${figures}${done === total ? "\n" : ""}`);
  };
}

function inWords({ seed, broken }: Report): string {
  return `seed ${seed} broke ${broken!.rule}: ${broken!.sentence}`;
}

/** Long runs print each failure at once; the final list says how to rerun it. */
function showFailure(failure: string): void {
  // On a terminal, clear the progress bar first.
  process.stderr.write(`${process.stderr.isTTY ? "\r\x1b[K" : ""}${failure}.\n`);
}

async function run({ from, seeds, steps, verbose, several, isLarge }: Options): Promise<number> {
  const totals = new Totals();
  const startedAt = performance.now();
  const show = verbose ? () => {} : progress(seeds);
  const print = verbose ? (line: string) => void process.stdout.write(`${line}\n`) : undefined;
  const large = isLarge ? ({ theme: "arenas", scenario: manyArenas } as const) : {};
  for (let seed = from; seed < from + seeds; seed++) {
    const report = await simulate(seed, { steps, print, several, ...large });
    totals.add(report);
    if (report.broken && !verbose) showFailure(inWords(report));
    show(totals.seeds, totals.failed.length);
  }
  console.log(["", ...totals.table((performance.now() - startedAt) / 1_000), ""].join("\n"));
  for (const report of totals.failed) {
    const { seed } = report;
    const options = `${isLarge ? " --arenas" : ""}${several ? " --nodes" : ""}${steps === undefined ? "" : ` --steps ${steps}`}`;
    const rerun = `npm run sim -- --seed ${seed}${options}`;
    console.log(`${inWords(report)}.\n  rerun: ${rerun}`);
  }
  return totals.failed.length > 0 ? 1 : 0;
}

const options = parseOptions(process.argv.slice(2));
if (options === "help") {
  process.stdout.write(help);
} else if ("wrong" in options) {
  process.stderr.write(`${options.wrong} See npm run sim -- --help.\n`);
  process.exitCode = 2;
} else if (options.depth !== undefined) {
  process.exitCode = exploreAll(options.depth, console.log) ? 0 : 1;
} else {
  process.exitCode = await run(options);
}
