import type { Bench } from "../bench.ts";
import { type Findings, nothing } from "../findings.ts";
import { type Admission, inversionsByTime, inversionsIn, overBound } from "../flash/admission-checks.ts";
import { FlashCrowd, type FlashResult } from "../flash/flash-crowd.ts";
import { type QueueHistory, readQueueLog } from "../flash/queue-log.ts";
import { fixedText, wholeText } from "../formats.ts";
import type { LatencyHistogram } from "../latency-histogram.ts";
import type { Openseat } from "../openseat-server.ts";

const rate = 500;
const burst = 50;
const seats = 2_000;
const claimTimeoutSeconds = 600;
const premium = 3;
const peoplePerStep = 10_000;

export const flashSteps = (people: number): number => people / peoplePerStep;

/** Of a hundred people, one is premium, four are VIP and five are elevated. */
function laneOf(person: number): number {
  const share = person % 100;
  if (share === 50) return premium;
  if (share % 25 === 13) return 2;
  return share % 20 === 7 ? 1 : 0;
}

/** The doors open, and a hundred thousand people arrive within seconds. Their answers must agree with the rules. */
export function flash(bench: Bench): Promise<Findings> {
  return bench.withOpenseat(async (server) => {
    const { options, progress } = bench;
    const queue = await server.createQueue({
      title: "The flash sale",
      maxActive: seats,
      rate,
      burst,
      claimTimeoutSeconds,
      heartbeatTimeoutSeconds: 600,
    });
    const crowd = new FlashCrowd(server.address, options.connections, server.crowd, {
      queue,
      people: options.flashPeople,
      laneOf,
      arrivalsMs: options.flashMs,
      afterMs: options.flashAfterMs,
      claimTimeoutMs: claimTimeoutSeconds * 1000,
      stayMs: options.flashStayMs,
    });
    let stepped = 0;
    const result = await crowd.run((entered) => {
      progress.show(`${wholeText(entered)} of ${wholeText(options.flashPeople)} have entered`);
      progress.step(flashSteps(entered - stepped));
      stepped = entered;
    });
    return judge(server, queue, result);
  });
}

async function judge(server: Openseat, queue: string, result: FlashResult): Promise<Findings> {
  await server.stop();
  const history = readQueueLog(server.folder, queue);
  const bounded = history.admissions.filter(({ lane }) => lane !== premium).map(({ at }) => at);
  const over = Math.max(0, overBound(bounded, rate, burst));
  const inversions =
    inversionsIn(history.admissions) + inversionsByTime(result.admissions) + result.overtaken;
  return {
    rows: [],
    verdicts: [
      nothing("flash crowd: people admitted out of order", inversions),
      nothing("flash crowd: admissions over burst + rate × t", over),
      nothing("flash crowd: people beyond the seats", Math.max(0, history.insideMax - seats)),
      nothing("flash crowd: answers that contradict the log", unprovenIn(result, history)),
      nothing("flash crowd: errors", result.errors),
    ],
    notes: [
      noteOf(result, history, over),
      ...result.errorTexts.map((text) => `Warning, flash crowd: ${text}`),
    ],
  };
}

/** Everything people were told must be in the log: entries, admissions with their times, and visits. */
function unprovenIn(result: FlashResult, { admissions, laneOf, completed }: QueueHistory): number {
  const written = new Map(admissions.map((admission) => [admission.ticket, admission]));
  const isProven = ({ ticket, lane, at }: Admission): boolean => {
    const admission = written.get(ticket);
    return admission?.lane === lane && admission.at === at;
  };
  const unproven = result.admissions.filter((admission) => !isProven(admission)).length;
  const twice = admissions.length - written.size;
  return unproven + twice + Math.abs(result.entered - laneOf.size) + Math.abs(result.completed - completed);
}

function noteOf(result: FlashResult, history: QueueHistory, over: number): string {
  const seconds = (ms: number): string => `${fixedText(ms / 1000, 1)} s`;
  return (
    `Flash crowd: ${wholeText(result.entered)} people had entered after ${seconds(result.enteredAfterMs)} (none of them ` +
    `more than ${seconds(result.lateMs)} late) and asked ${wholeText(result.positions)} times for their ` +
    `position; ${wholeText(history.admissions.length)} were admitted within ${seconds(result.elapsedMs)} (${rate} per second ` +
    `after a burst of ${burst}, ${wholeText(seats)} seats, ${wholeText(history.insideMax)} taken at most), ` +
    `${wholeText(result.claimed)} claimed and ${wholeText(result.completed)} left. Entering took ${timesText(result.enter)}, ` +
    `a position ${timesText(result.position)}. Out of order: ${inversionsIn(history.admissions)} by the log, ` +
    `${inversionsByTime(result.admissions)} by the answers' times and ${result.overtaken} by their sequence; over the ` +
    `bound: ${wholeText(over)}.`
  );
}

function timesText(latency: LatencyHistogram): string {
  const ms = (share: number): string => fixedText(latency.percentileUs(share) / 1000, 1);
  return `${ms(0.5)} ms (p50) and ${ms(0.99)} ms (p99)`;
}
