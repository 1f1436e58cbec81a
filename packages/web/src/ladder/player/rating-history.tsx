import type { RatingStep } from "@openseat/client";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { ladderPlayerAddress } from "../../ui/route.ts";
import { dayShown, ratingShown } from "../../ui/words.ts";
import { changeShown } from "../standing.ts";
import { outcomeOf, stepMark } from "./rating-course.ts";

interface Props {
  readonly ladder: string;
  readonly steps: readonly RatingStep[];
  /** Loads older steps; undefined if there are none. */
  readonly showOlder: (() => void) | undefined;
}

const rowsAtFirst = 15;
const rowsMore = 50;

/** Every match that changed the rating, newest first. Voided matches are struck through. */
export function RatingHistory({ ladder, steps, showOlder }: Props): JSX.Element {
  const [rows, setRows] = useState(rowsAtFirst);
  function showMore(): void {
    setRows(rows + rowsMore);
    if (rows + rowsMore > steps.length) showOlder?.();
  }
  return (
    <section class="card standings" aria-labelledby="history-title">
      <div class="standings-head">
        <h2 id="history-title">History</h2>
      </div>
      {steps.length === 0 && <p class="soft nobody">No match has counted yet.</p>}
      {steps.length > 0 && (
        <table>
          <caption class="unseen">Matches and what they changed, the newest first</caption>
          <thead>
            <tr>
              <th scope="col">Match</th>
              <th scope="col" class="number">
                Score
              </th>
              <th scope="col" class="number">
                Change
              </th>
              <th scope="col" class="number">
                Rating
              </th>
              <th scope="col" class="number wide">
                Day
              </th>
            </tr>
          </thead>
          <tbody>
            {steps.slice(0, rows).map((step) => (
              <Step key={step.match} ladder={ladder} step={step} />
            ))}
          </tbody>
        </table>
      )}
      {(rows < steps.length || showOlder) && (
        <div class="pages">
          <button class="button plain" type="button" onClick={showMore}>
            Show older
          </button>
        </div>
      )}
    </section>
  );
}

function Step({ ladder, step }: { readonly ladder: string; readonly step: RatingStep }): JSX.Element {
  const { opponent, score, opponentScore, before, after, at, status } = step;
  const mark = stepMark(step);
  const outcome = outcomeOf(step);
  const isVoided = status === "voided";
  // The element `s` also tells screen readers that the match was voided.
  const Words = isVoided ? "s" : "span";
  const change = changeShown(before, after);
  return (
    <tr class={isVoided ? "voided" : ""}>
      <th scope="row">
        <Words>
          {outcome} <a href={ladderPlayerAddress(ladder, opponent.userId)}>{opponent.name}</a>
        </Words>{" "}
        {mark !== "" && <span class={`mark-word ${status}`}>{mark}</span>}
      </th>
      <td class="number">
        <Words>
          {score} : {opponentScore}
        </Words>
      </td>
      <td class={`number ${change.startsWith("+") ? "up" : change.startsWith("−") ? "down" : ""}`}>
        <Words>{change}</Words>
      </td>
      <td class="number strong">
        <Words>{ratingShown(after)}</Words>
      </td>
      <td class="number wide">
        <time dateTime={at}>{dayShown(at)}</time>
      </td>
    </tr>
  );
}
