import { cpus } from "node:os";
import type { Findings, Row } from "./findings.ts";
import { fixedText, percentText, tableText, wholeText } from "./formats.ts";
import type { Options } from "./options.ts";

const clientBusyMax = 0.9;

const head = [
  "scenario",
  "bare/s",
  "openseat/s",
  "ratio",
  "quartiles",
  "p50 ms",
  "p99 ms",
  "flushes/s",
  "entries/flush",
  "client cpu",
  "server cpu",
  "µs each",
  "re-run",
];

/** The whole result as text. */
export function reportText(
  findings: Findings,
  options: Options,
  seconds: number,
  surroundings: string,
): string {
  const { rows, verdicts } = findings;
  const parts = [
    `${options.before === undefined ? "Openseat compared with a bare node:http server" : "This version compared with another"}: ${options.pairs} pairs of slices of ${options.sliceMs} ms, ` +
      `${options.connections} connections (WebSocket: ${options.wsConnections} with ${options.wsInFlight} in flight each)\n` +
      `Node ${process.version} on ${cpus().length} × ${cpus()[0]?.model ?? "unknown processor"}, ${Math.round(seconds)} s; ` +
      surroundings,
  ];
  if (rows.length > 0) parts.push(tableText([head, ...rows.map(cellsOf)]));
  if (rows.length > 0)
    parts.push(
      "cpu: share of one processor, in slices of bare / of openseat; server: its main thread, with its time per request",
    );
  if (verdicts.length > 0) {
    const lines = verdicts.map(({ what, measured, target, met }) => [
      what,
      measured,
      target,
      met ? "met" : "MISSED",
    ]);
    parts.push(tableText([["target", "measured", "wanted", ""], ...lines]));
  }
  const notes = [...findings.notes, ...warningsOf(rows)];
  if (notes.length > 0) parts.push(notes.join("\n"));
  return `${parts.join("\n\n")}\n`;
}

function cellsOf(row: Row): string[] {
  const { bare, openseat } = row.busy;
  return [
    row.scenario,
    wholeText(row.barePerSecond),
    wholeText(row.openseatPerSecond),
    fixedText(row.ratio.median, 2),
    `${fixedText(row.ratio.lower, 2)}–${fixedText(row.ratio.upper, 2)}`,
    fixedText(row.p50Ms, 1),
    fixedText(row.p99Ms, 1),
    wholeText(row.flushesPerSecond),
    fixedText(row.joinsPerFlush, 1),
    `${percentText(bare.client)} / ${percentText(openseat.client)}`,
    `${percentText(bare.serverMain)} / ${percentText(openseat.serverMain)}`,
    `${fixedText(row.cpuUs.bare, 1)} / ${fixedText(row.cpuUs.openseat, 1)}`,
    row.disturbed === 0 ? String(row.rerun) : `${row.rerun} (${row.disturbed} kept)`,
  ];
}

/** Warnings about conditions that make the numbers less reliable. */
function warningsOf(rows: readonly Row[]): string[] {
  return rows.flatMap(({ scenario, busy, disturbed }) => {
    const client = Math.max(busy.bare.client, busy.openseat.client);
    const warnings: string[] = [];
    if (client > clientBusyMax)
      warnings.push(`the client used ${percentText(client)} of a processor and may have been the bottleneck`);
    if (disturbed > 0)
      warnings.push(`other work disturbed the machine in ${disturbed} of the counted slices`);
    return warnings.map((warning) => `Beware, ${scenario}: ${warning}.`);
  });
}
