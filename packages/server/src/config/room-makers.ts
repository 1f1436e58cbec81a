/** Roles, from the least to the most privileged. */
const roles = ["person", "service", "operator"] as const;
const kinds = ["games", "arenas", "ladders"] as const;

type Role = (typeof roles)[number];
export type RoomMakers = Readonly<Record<(typeof kinds)[number], readonly Role[]>>;

/** Parses the setting `createRooms`: which roles, and those above them, may create which rooms. Undefined if it is invalid. */
export function roomMakers(text: string): RoomMakers | undefined {
  const makers = { games: [...roles], arenas: [...roles], ladders: [...roles] };
  const named = new Set<string>();
  for (const item of text.split(",")) {
    const [, name, least] = /^\s*(\w+)=(\w+)\s*$/.exec(item) ?? [];
    const kind = kinds.find((it) => it === name);
    const role = roles.find((it) => it === least);
    if (!kind || !role || named.has(kind)) return undefined;
    named.add(kind);
    makers[kind] = roles.slice(roles.indexOf(role));
  }
  return makers;
}
