import { fileURLToPath } from "node:url";
import { directoryLimits } from "@openseat/kernel";
import type { Bench } from "../bench.ts";
import { type ChatSaid, chatVerdicts } from "../chat/chat-checks.ts";
import { readChat } from "../chat/chat-log.ts";
import type { HearingOrder, ThrowReport } from "../chat/kernel-throws.ts";
import { MatchMessages } from "../chat/match-messages.ts";
import { OutboxWatch } from "../chat/outbox-watch.ts";
import { Repeats } from "../chat/repeats.ts";
import { greet, greetingsEach, type Talker, talkersFrom } from "../chat/talkers.ts";
import { type Talking, talkingContender } from "../chat/talking.ts";
import { Throws, throwIdOf } from "../chat/throws.ts";
import { bareContender } from "../contenders.ts";
import { cpuUsEach, type Findings, type Row, rowOf, together, type Verdict } from "../findings.ts";
import { fixedText, wholeText } from "../formats.ts";
import { ladderVerdicts, readLadder } from "../ladders/ladder-checks.ts";
import type { Options } from "../options.ts";
import { costText, kernelCosts, spreadText } from "../size-costs.ts";
import { alternate, type Rounds } from "../slices.ts";
import { median } from "../statistics.ts";
import { warmUps } from "./beside-bare.ts";

/** The default ladder. */
const chatLadder = "chat";
const startRating = 1_000;
const ratiosMin = { throws: 0.15, matches: 0.1, repeats: 0.2 } as const;
const noticesAfterMsMax = 250;
const smallDirectory = 1_000;
const timesMax = 2;
const kernelProgram = fileURLToPath(new URL("../chat/kernel-throws.ts", import.meta.url));

const kinds = ["throws", "matches", "repeats"] as const;

type Talks = { readonly throws: Throws; readonly matches: MatchMessages; readonly repeats: Repeats };

export function chatSteps({ pairs }: Options): number {
  return (1 + kinds.length) * (pairs + warmUps) + 1;
}

/** Chat messages, each durable before its answer: throws, match reports, and repeated throws. */
export async function chat(bench: Bench): Promise<Findings> {
  return together([await messages(bench), await directory(bench)]);
}

function messages(bench: Bench): Promise<Findings> {
  return bench.withOpenseat(async (server) => {
    const { options, progress, bare, bareLoad, bareRequests } = bench;
    const { sliceMs, pairs, connections } = options;
    const talkers = talkersFrom(server.crowd, 2 * connections);
    progress.show(`${wholeText(talkers.length)} people take nicknames`);
    await greet(bench, server, talkers);
    const throws = new Throws(talkers);
    const talks = { throws, matches: new MatchMessages(talkers), repeats: new Repeats(throws) };
    const load = bench.httpLoad(server);
    const outbox = new OutboxWatch(server.folder);
    await outbox.untilEmpty();
    const talking = kinds.map((name) =>
      talkingContender({ name, server, load, outbox, talk: talks[name], sliceMs }),
    );
    const rounds = await alternate([bareContender(bare, bareLoad, bareRequests, sliceMs), ...talking], {
      ...{ rounds: pairs, warmUps, rerunsMax: pairs, progress },
    });
    load.close();
    outbox.close();
    const fastAnswers = await server.fastAnswers();
    await server.stop();
    const rows = kinds.map((kind, side) =>
      rowOf(`chat ${kind}`, rounds, rounds.sides[0], rounds.sides[side + 1]),
    );
    return {
      rows,
      verdicts: [...rows.map(ratioVerdict), noticesVerdict(talking), ...check(server.folder, talkers, talks)],
      notes: [noteOf(rounds, talking, talkers.length, fastAnswers)],
    };
  });
}

function ratioVerdict({ scenario, ratio: { median: ratio } }: Row, kind: number): Verdict {
  const min = ratiosMin[kinds[kind]];
  return {
    what: `${scenario}, to bare`,
    value: ratio,
    measured: ratio.toFixed(2),
    target: `≥ ${min}`,
    met: ratio >= min,
  };
}

/** Checks that the outbox keeps up; otherwise the measured rates could not be sustained. */
function noticesVerdict(talking: readonly Talking[]): Verdict {
  const ms = Math.max(...talking.map(({ noticesAfterMs }) => median(noticesAfterMs)));
  return {
    what: "chat: time from a slice's last answer until all notices arrived",
    value: ms,
    measured: `${wholeText(ms)} ms`,
    target: `≤ ${noticesAfterMsMax} ms`,
    met: ms <= noticesAfterMsMax,
  };
}

function check(folder: string, talkers: readonly Talker[], { throws, matches, repeats }: Talks): Verdict[] {
  const answers = new Map(Array.from(throws.answers, ([request, body]) => [throwIdOf(request), body]));
  const said: ChatSaid = {
    throws: throws.acknowledged,
    matches: matches.acknowledged,
    others: greetingsEach * talkers.length,
    answers,
    changed: repeats.changed,
  };
  const { acknowledged } = matches;
  return [
    ...chatVerdicts(readChat(folder), said),
    ...ladderVerdicts("chat ladder", readLadder(folder, chatLadder), {
      ...{ acknowledged, counting: acknowledged, ratingSum: talkers.length * startRating },
    }),
  ];
}

function noteOf(
  { sides: [, ...sides] }: Rounds,
  talking: readonly Talking[],
  people: number,
  fastAnswers: number,
): string {
  const cpu = sides.map((side) => `${side.name} ${fixedText(median(cpuUsEach(side)), 0)} µs`).join(", ");
  const noticesAfter = talking
    .slice(0, 2)
    .map(({ name, noticesAfterMs }) => `${name} ${wholeText(median(noticesAfterMs))} ms`)
    .join(", ");
  const path =
    fastAnswers === 0
      ? "all answers by Fastify, none by the fast path"
      : `${wholeText(fastAnswers)} of all answers by the fast path`;
  return (
    `Chat, ${wholeText(people)} people, ${path}. Processor time of all server threads per message: ${cpu}. ` +
    `Time from a slice's last answer until all notices had arrived (median): ${noticesAfter}.`
  );
}

/** The cost of a throw in the directory alone, with 1,000 people and with a full directory. */
async function directory({ options, progress }: Bench): Promise<Findings> {
  const large = Math.min(options.waiting, directoryLimits.peopleMax);
  progress.show("throws in the kernel");
  const order: HearingOrder = { small: smallDirectory, large, rounds: 2 * options.pairs };
  const { throw: cost } = await kernelCosts<ThrowReport>(kernelProgram, order);
  progress.step();
  const times = cost.times.median;
  const verdict = {
    what: `a throw in the kernel, of ${wholeText(large)} people to of ${wholeText(smallDirectory)}`,
    value: times,
    measured: `${fixedText(times, 2)} ×`,
    target: `≤ ${timesMax} ×`,
    met: times <= timesMax,
  };
  const note =
    `Chat, in the kernel alone: a throw ${costText(cost)} with ${wholeText(smallDirectory)} and ` +
    `${wholeText(large)} people (${spreadText(cost.times)}).`;
  return { rows: [], verdicts: [verdict], notes: [note] };
}
