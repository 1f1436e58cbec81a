import type { Millis } from "@openseat/kernel";
import type { StreamName } from "@openseat/server";
import type { Message } from "./chat/message.ts";
import type { Judge } from "./judge.ts";
import { checkRecords } from "./ladder/records.ts";
import type { Ledger } from "./ledger.ts";
import type { Node } from "./node.ts";
import type { Parts } from "./parts.ts";
import type { PresenceChecks } from "./presence-checks.ts";
import { kindOf } from "./requests.ts";
import { must } from "./rule.ts";

/** CL5: due work is done within this time. */
export const lateMsMax = 1_000;

/** A person who watched a room until the end. */
export interface Onlooker {
  readonly stream: StreamName;
  /** The newest version announced to them, and the newest whose state they saw. */
  readonly seen: number | undefined;
  readonly stateSeen: number | undefined;
}

/** What must hold at the end of the calm. */
export interface Promised {
  readonly judge: Judge;
  /** Messages that still wait for a reply. */
  readonly unanswered: readonly Message[];
  readonly store: Parts["store"];
  readonly nodes: readonly Node[];
  readonly watchers: readonly Onlooker[];
  readonly presence: PresenceChecks | undefined;
  /** Work due before this time must be done, even on servers whose clock was changed. */
  readonly dueBefore: Millis;
}

export async function checkPromises(promised: Promised): Promise<void> {
  const { judge, unanswered, store, nodes, watchers, presence, dueBefore } = promised;
  const { ledger, deliveries, correspondence, post } = judge;
  await ledger.compareWith(store);
  await deliveries.checkAll(store);
  post.checkAll();
  correspondence.checkAll(unanswered);
  presence?.checkAll();
  for (const stream of ledger.streams) {
    const { rooms, version, specification } = ledger.history(stream);
    const due = specification.due(rooms[version]);
    if (kindOf(stream) === "ladder") await checkRecords(stream, rooms[version], store);
    const isOverdue = due !== undefined && due <= dueBefore;
    must(!isOverdue, specification.dueRule, `${stream} was due at ${due}, but nothing was done`);
  }
  for (const { stream, seen, stateSeen } of watchers) {
    const { version } = ledger.history(stream);
    // An arena cannot be watched before it is created.
    if (version === 0 && kindOf(stream) === "arena") continue;
    must(seen === version, "FD1", `a watcher of ${stream} reached version ${seen} of ${version}`);
    const isShown = kindOf(stream) !== "arena" || stateSeen === version;
    must(isShown, "AR11", `a watcher of ${stream} was shown version ${stateSeen} of ${version}`);
  }
  for (const { name, process, isGivenUp } of nodes) {
    if (isGivenUp) continue;
    must(process !== undefined, "LG3", `${name} did not restart`);
    must(process.unanswered === 0, "GM7", `${name} left ${process.unanswered} requests unanswered`);
  }
}

/** CL5: checks that entries after version `before` did due work on time, if it became due after `since`. */
export function checkPunctual(ledger: Ledger, stream: StreamName, before: number, since: Millis): void {
  const { rooms, entries, version, specification } = ledger.history(stream);
  for (let next = Math.max(1, before); next < version; next++) {
    const due = specification.due(rooms[next]);
    const lateMs = entries[next].at - Math.max(due ?? Infinity, since);
    must(lateMs <= lateMsMax, specification.dueRule, `${stream} did due work ${lateMs} ms late`);
  }
}
