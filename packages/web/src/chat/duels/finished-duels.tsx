import type { Duel, Hand } from "@openseat/client";
import type { JSX } from "preact";
import { ChoiceIcon } from "../../ui/icons.tsx";
import { ladderAddress } from "../../ui/route.ts";
import { ago } from "../../ui/words.ts";
import { type DuelLadder, endWords, handsShown, titleOf } from "./duels.ts";

interface Props {
  readonly duels: readonly Duel[];
  readonly ladders: readonly DuelLadder[];
  readonly nowMs: number;
}

/** Finished duels with both throws. */
export function FinishedDuels({ duels, ladders, nowMs }: Props): JSX.Element {
  return (
    <section class="card side" aria-labelledby="finished-title">
      <h2 id="finished-title">Finished</h2>
      {duels.length === 0 && <p class="soft">None yet.</p>}
      <ul class="finished">
        {duels.map((duel) => (
          <Finished key={duel.id} {...{ duel, ladders, nowMs }} />
        ))}
      </ul>
    </section>
  );
}

function Finished({ duel, ladders, nowMs }: Omit<Props, "duels"> & { readonly duel: Duel }): JSX.Element {
  const { yourThrow, opponentThrow, result, ladder, at } = duel;
  return (
    <li>
      {yourThrow !== null && opponentThrow !== null && (
        <p class="both" aria-hidden="true">
          <Thrown hand={yourThrow} isWinner={result === "won"} />
          <Thrown hand={opponentThrow} isWinner={result === "lost"} />
        </p>
      )}
      <div>
        <p class={result === null ? "" : "ended"}>{endWords(duel)}</p>
        <p class="soft">
          {[handsShown(duel), at === null ? "" : ago(at, nowMs)].filter(Boolean).join(", ")}
          {ladder !== null && (
            <>
              {", counts on "}
              <a href={ladderAddress(ladder)}>
                <bdi>{titleOf(ladder, ladders)}</bdi>
              </a>
            </>
          )}
        </p>
      </div>
    </li>
  );
}

function Thrown({ hand, isWinner }: { readonly hand: Hand; readonly isWinner: boolean }): JSX.Element {
  return (
    <span class={isWinner ? "throw won" : "throw"}>
      <ChoiceIcon move={hand} symbol="" size={32} />
    </span>
  );
}
