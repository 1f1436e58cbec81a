import type { Hand } from "@openseat/client";
import type { JSX } from "preact";
import { ChoiceIcon } from "../../ui/icons.tsx";
import { handName, hands } from "./duels.ts";

interface Props {
  readonly legend: string;
  /** Hides the legend when a visible text says the same. */
  readonly isLegendUnseen?: boolean;
  readonly chosen?: Hand | undefined;
  readonly isOff?: boolean;
  readonly onChoose: (hand: Hand) => void;
}

/** Buttons for the three throws. */
export function Hands(props: Props): JSX.Element {
  const { legend, isLegendUnseen = false, chosen, isOff = false, onChoose } = props;
  return (
    <fieldset class="choices">
      <legend class={isLegendUnseen ? "unseen" : ""}>{legend}</legend>
      {hands.map((hand) => (
        <button
          key={hand}
          type="button"
          class={`choice${chosen === hand ? " chosen" : ""}`}
          aria-pressed={chosen === hand}
          aria-disabled={isOff}
          onClick={() => isOff || onChoose(hand)}
        >
          <ChoiceIcon move={hand} symbol="" />
          <span>{handName(hand)}</span>
        </button>
      ))}
    </fieldset>
  );
}
