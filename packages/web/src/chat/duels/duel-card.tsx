import type { Duel, Hand } from "@openseat/client";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAction } from "../../ui/hooks/use-action.ts";
import { ChoiceIcon } from "../../ui/icons.tsx";
import { openseat } from "../../ui/openseat.ts";
import { ago } from "../../ui/words.ts";
import { type DuelLadder, dropLabel, isYours, openWords, titleOf } from "./duels.ts";
import { Hands } from "./hands.tsx";
import { LadderSelect, useChosenLadder } from "./ladder-select.tsx";

interface Props {
  readonly duel: Duel;
  readonly ladders: readonly DuelLadder[];
  readonly nowMs: number;
  readonly onChanged: () => void;
}

/** An open duel. */
export function DuelCard({ duel, ladders, nowMs, onChanged }: Props): JSX.Element {
  const { isBusy, run } = useAction();
  const { id, opponent, at, yourThrow } = duel;
  const isTurn = isYours(duel);
  const act = (work: () => Promise<unknown>) => run(() => work().finally(onChanged));
  return (
    <li class={`card stage duel${isTurn ? " yours" : ""}`}>
      <div class="duel-head">
        <h3>
          <bdi>{opponent}</bdi>
        </h3>
        <span class="soft">{at !== null && ago(at, nowMs)}</span>
      </div>
      <div class="duel-words">
        {yourThrow !== null && (
          <span class="thrown">
            <ChoiceIcon move={yourThrow} symbol="" size={32} />
          </span>
        )}
        <p>{openWords(duel)}</p>
      </div>
      {isTurn && (
        <Throw
          {...{ duel, ladders, isBusy }}
          onThrow={(hand, named) => act(() => openseat.duel(id).throw(hand, named))}
        />
      )}
      <button
        class="button plain small"
        type="button"
        disabled={isBusy}
        onClick={() => act(() => openseat.duel(id).drop())}
      >
        {dropLabel(duel)}
        <span class="unseen">: the duel with {opponent}</span>
      </button>
    </li>
  );
}

interface ThrowProps extends Pick<Props, "duel" | "ladders"> {
  readonly isBusy: boolean;
  readonly onThrow: (hand: Hand, named: { readonly ladder?: string }) => void;
}

/** After the opponent has thrown, the viewer accepts or declines their ladder. Before that, the viewer may choose one. */
function Throw({ duel, ladders, isBusy, onThrow }: ThrowProps): JSX.Element {
  const { id, opponent, offeredLadder, hasOpponentThrown } = duel;
  const [isAccepted, setAccepted] = useState(true);
  const own = useChosenLadder(ladders);
  const offered = offeredLadder !== null && isAccepted ? { ladder: offeredLadder } : {};
  return (
    <>
      {offeredLadder !== null && (
        <label class="check">
          <input
            type="checkbox"
            checked={isAccepted}
            onChange={(event) => setAccepted(event.currentTarget.checked)}
          />
          <span>
            Let it count on <bdi>{titleOf(offeredLadder, ladders)}</bdi>, as {opponent} suggests
          </span>
        </label>
      )}
      {!hasOpponentThrown && <LadderSelect id={`ladder-${id}`} ladders={ladders} {...own} />}
      <Hands
        legend={`Throw at ${opponent}`}
        isLegendUnseen
        isOff={isBusy}
        onChoose={(hand) => onThrow(hand, hasOpponentThrown ? offered : own.named)}
      />
    </>
  );
}
