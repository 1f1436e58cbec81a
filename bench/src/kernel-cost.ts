import { type Spread, spreadOf } from "./statistics.ts";

/** Nanoseconds of one call, and how many times that of the small one the large one's is. */
export type KernelCost = { readonly smallNs: number; readonly largeNs: number; readonly times: Spread };

/** Blocks in which each side is called so many times in a row. */
export type Blocks = { readonly rounds: number; readonly calls: number };

const warmUps = 3;

/** Blocks of calls on a small and on a large room in turn, each with a number at random. */
export function compareCost<Room>(
  rooms: readonly [Room, Room],
  { rounds, calls }: Blocks,
  randomNumber: (room: Room) => number,
  call: (room: Room, number: number) => void,
): KernelCost {
  const ns: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds + warmUps; round++) {
    for (const [side, room] of rooms.entries()) {
      const numbers = Uint32Array.from({ length: calls }, () => randomNumber(room));
      const startedAt = performance.now();
      for (let index = 0; index < calls; index++) call(room, numbers[index]);
      if (round >= warmUps) ns[side].push(((performance.now() - startedAt) * 1e6) / calls);
    }
  }
  const [smallNs, largeNs] = ns.map((values) => spreadOf(values).median);
  return { smallNs, largeNs, times: spreadOf(ns[1].map((value, round) => value / ns[0][round])) };
}
