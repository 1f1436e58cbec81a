import { type Spread, spreadOf } from "./statistics.ts";

/** Nanoseconds per call with the small and with the large room, and their ratio. */
export type KernelCost = { readonly smallNs: number; readonly largeNs: number; readonly times: Spread };

/** The number of blocks per side, and of consecutive calls per block. */
export type Blocks = { readonly rounds: number; readonly calls: number };

const warmUps = 3;

/** Alternates blocks of calls on a small and a large room, each call with a random number. */
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
