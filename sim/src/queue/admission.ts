import { must } from "../rule.ts";
import { spend, tokensIn } from "./bucket.ts";
import { outOfLine } from "./placing.ts";
import { countsIn, inLine, movePlace, type Queue } from "./queue.ts";

const isImmediate = ({ terms, places }: Queue, ticket: number) =>
  terms.lanes[places[ticket - 1].lane].immediate;

const takenIn = (queue: Queue) => countsIn(queue).admitted + countsIn(queue).active;

/** LN12: people who are there, front first; when none are left, people who are away. */
const inOrder = (queue: Queue) => [...inLine(queue, false), ...inLine(queue, true)];

/**
 * AD1, AD4: the people who can be admitted now: in order, while there are seats, and tokens for those who need one.
 */
function admissible(queue: Queue): number[] {
  if (queue.paused) return [];
  let seats = queue.settings.seats - takenIn(queue);
  let tokens = tokensIn(queue.bucket);
  const admissible: number[] = [];
  for (const ticket of inOrder(queue)) {
    const price = isImmediate(queue, ticket) ? 0 : 1;
    if (seats < 1 || tokens < price) break;
    admissible.push(ticket);
    seats--;
    tokens -= price;
  }
  return admissible;
}

export function checkNobodyAdmissible(queue: Queue, when: string): void {
  const [first] = admissible(queue);
  if (first === undefined) return;
  const rule = isImmediate(queue, first) ? "LN3" : "AD4";
  must(false, rule, `ticket ${first} could be admitted but waits ${when}`);
}

export function admit(queue: Queue, tickets: readonly number[], claimBy: number): Queue {
  const { settings, places, at } = queue;
  must(!queue.paused, "AD5", "a person was admitted to a paused queue");
  must(tickets.length > 0, "RM5", "an empty admission");
  const order = inOrder(queue);
  for (const [index, ticket] of tickets.entries()) {
    const next = order[index];
    const rule = places[ticket - 1]?.away && !places[next - 1]?.away ? "LN12" : "AD4";
    must(ticket === next, rule, `ticket ${ticket} was admitted before ticket ${next}`);
  }
  must(claimBy === at + settings.claimTimeoutMs, "AD6", `${claimBy - at} ms for claiming an admission`);
  const priced = tickets.filter((ticket) => !isImmediate(queue, ticket));
  let after: Queue = { ...queue, bucket: spend(queue.bucket, priced.length) };
  for (const ticket of tickets)
    after = movePlace(outOfLine(after, ticket), ticket, "admitted", { until: claimBy });
  must(
    takenIn(after) <= settings.seats,
    "RM2",
    `${takenIn(after)} people were admitted to ${settings.seats} seats`,
  );
  return { ...after, moved: after.moved + tickets.length, lastAdmittedAt: at };
}
