import type { Parts } from "../parts.ts";
import { poison } from "./message.ts";

export const poisonedWords = "Simulated: this message made the rules fail.";

/** CH7: faulty rules that some messages trigger, in the directory or on a ladder. */
export function poisoned(
  { ladders, directories }: Pick<Parts, "ladders" | "directories">,
  onFailure: () => void,
): { readonly ladder: Parts["ladders"]; readonly directory: Parts["directories"] } {
  const failOnPoison = () => {
    onFailure();
    throw new Error(poisonedWords);
  };
  return {
    ladder: {
      ...ladders,
      decide(ladder, command, now) {
        if (command.type === "discuss" && !command.isBroken && command.said.includes(poison)) failOnPoison();
        return ladders.decide(ladder, command, now);
      },
    },
    directory: {
      ...directories,
      decide(directory, command, now) {
        if (command.type === "hear" && !command.isBroken && command.text.startsWith(poison)) failOnPoison();
        return directories.decide(directory, command, now);
      },
    },
  };
}
