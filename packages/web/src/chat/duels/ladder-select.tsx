import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { type DuelLadder, rememberedLadder } from "./duels.ts";
import { remember, remembered } from "./remembered.ts";

const name = "duel-ladder";

interface Chosen {
  /** The ladder's id; empty for none. */
  readonly ladder: string;
  readonly choose: (ladder: string) => void;
  /** The field of a request that names the ladder. */
  readonly named: { readonly ladder?: string };
}

/** The ladder that a duel should count on. Defaults to the last choice on this device, or none. */
export function useChosenLadder(ladders: readonly DuelLadder[]): Chosen {
  const [chosen, setChosen] = useState(() => remembered(name));
  const ladder = rememberedLadder(chosen, ladders);
  function choose(id: string): void {
    setChosen(id);
    remember(name, id);
  }
  return { ladder, choose, named: ladder === "" ? {} : { ladder } };
}

interface Props extends Pick<Chosen, "ladder" | "choose"> {
  readonly id: string;
  readonly ladders: readonly DuelLadder[];
}

export function LadderSelect({ id, ladders, ladder, choose }: Props): JSX.Element | null {
  if (ladders.length === 0) return null;
  return (
    <div class="field">
      <label for={id}>Count it on a ladder</label>
      <select
        id={id}
        value={ladder}
        aria-describedby={`${id}-hint`}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        <option value="">No, just for fun</option>
        {ladders.map((each) => (
          <option key={each.id} value={each.id}>
            {each.title}
          </option>
        ))}
      </select>
      <p class="soft" id={`${id}-hint`}>
        It counts only if you both choose the same ladder.
      </p>
    </div>
  );
}
