import { arenaDecider } from "@openseat/kernel";
import { arenas, mistaking } from "./rules.ts";
import type { Sabotage } from "./sabotage.ts";

/** Rules that accept a move for the current turn whenever `isTaken` returns true, whatever turn it names. */
function taking(
  isTaken: (named: number | undefined, turn: number) => boolean,
): ReturnType<Sabotage["parts"]> {
  return arenas(
    mistaking(arenaDecider, ({ match }, command) => {
      const turn = match?.play?.turn;
      const isWrong = command.type === "move" && turn !== undefined && isTaken(command.turn, turn);
      return isWrong ? { command: { ...command, turn } } : {};
    }),
  );
}

/** ID5, MT5: repeated moves that count. */
export const moveSabotages: readonly Sabotage[] = [
  {
    name: "moves for a past turn that count in the next one",
    rules: ["MT5", "ID5"],
    parts: () => taking((named, turn) => named !== undefined && named < turn),
  },
  {
    name: "repeated moves without a turn number that count again",
    rules: ["MT5", "ID5"],
    parts: () => taking((named) => named === undefined),
  },
];
