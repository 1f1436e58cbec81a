import type { Attack } from "./attack.ts";
import { chat, chatMarks, chatPeople } from "./attacks/chat.ts";
import { confirm } from "./attacks/confirm.ts";
import { connections } from "./attacks/connections.ts";
import { duels } from "./attacks/duels.ts";
import { exportLoops, exportUnread } from "./attacks/exports.ts";
import { enter, guests, guestsForwarded, guestsIpv6 } from "./attacks/guests.ts";
import { importFaults, importNested, importSmall } from "./attacks/imports.ts";
import { lists, lookups, metrics } from "./attacks/lookups.ts";
import { nicknames } from "./attacks/nicknames.ts";
import { overloadReads, overloadWrites } from "./attacks/overload.ts";
import { pipelining, pipeliningMixed } from "./attacks/pipelining.ts";
import { replay } from "./attacks/replay.ts";
import { rooms } from "./attacks/rooms.ts";
import { school } from "./attacks/school.ts";
import { slowHeads, slowReaders } from "./attacks/slow.ts";
import { wsMessages, wsPings, wsUnread } from "./attacks/websockets.ts";

export const attacks = [
  pipelining,
  pipeliningMixed,
  importFaults,
  importNested,
  importSmall,
  exportLoops,
  exportUnread,
  confirm,
  duels,
  nicknames,
  rooms,
  chat,
  chatPeople,
  chatMarks,
  wsPings,
  wsMessages,
  wsUnread,
  overloadReads,
  overloadWrites,
  replay,
  lookups,
  lists,
  metrics,
  connections,
  slowHeads,
  slowReaders,
  guests,
  guestsIpv6,
  guestsForwarded,
  enter,
  school,
] as readonly Attack[];

export function attackNamed(name: string): Attack {
  const attack = attacks.find((one) => one.name === name);
  if (attack === undefined) throw new Error(`There is no attack "${name}".`);
  return attack;
}
