import type { LadderHandle, LadderMatch } from "@openseat/client";
import type { JSX } from "preact";
import { useAction } from "../ui/hooks/use-action.ts";
import { claim, claimQuestion, matchSummary, timeToConfirm } from "./match-words.ts";
import type { LadderSeen } from "./use-ladder.ts";

interface Props {
  readonly handle: LadderHandle;
  readonly seen: LadderSeen;
  readonly nowMs: number;
  readonly onChanged: () => void;
}

/** Reports of others that wait for the viewer to confirm or decline them. */
export function WaitingMatches({ handle, seen, nowMs, onChanged }: Props): JSX.Element {
  const { ladder, you, waiting } = seen;
  return (
    <section aria-labelledby="waiting-title" class="waiting-matches" hidden={waiting.length === 0}>
      <h2 id="waiting-title">{waiting.length === 1 ? "Confirm a match" : "Confirm your matches"}</h2>
      <ul>
        {waiting.map((match) => (
          <li key={match.id} class="card asked">
            <div class="asked-words">
              <p class="match-who">{claim(match, you?.userId)}</p>
              <p class="soft">
                {claimQuestion(match)} {timeToConfirm(match, ladder, nowMs)}
              </p>
            </div>
            <Answers handle={handle} match={match} me={you?.userId} onChanged={onChanged} />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface AnswersProps extends Pick<Props, "handle" | "onChanged"> {
  readonly match: LadderMatch;
  readonly me: string | undefined;
}

function Answers({ handle, match, me, onChanged }: AnswersProps): JSX.Element {
  const { isBusy, run } = useAction();
  // Refresh after a refusal too: the match may have expired or been taken back.
  const answer = (click: MouseEvent, work: () => Promise<unknown>) => {
    // Ignore the second click of a double click: it would answer the next match, which has moved up.
    if (click.detail <= 1) run(() => work().finally(onChanged));
  };
  const which = <span class="unseen">: {matchSummary(match, me)}</span>;
  return (
    <div class="row">
      <button
        class="button"
        type="button"
        disabled={isBusy}
        onClick={(click) => answer(click, () => handle.confirm(match.id))}
      >
        Confirm{which}
      </button>
      <button
        class="button plain"
        type="button"
        disabled={isBusy}
        onClick={(click) => answer(click, () => handle.decline(match.id))}
      >
        Decline{which}
      </button>
    </div>
  );
}
