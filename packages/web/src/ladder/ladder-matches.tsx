import type { Ladder, LadderHandle, LadderMatch } from "@openseat/client";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Confirm } from "../ui/confirm.tsx";
import { useAction } from "../ui/hooks/use-action.ts";
import { ago } from "../ui/words.ts";
import { canVoid, changesShown, matchSummary, scoreShown, statusWords } from "./match-words.ts";

interface Props {
  readonly handle: LadderHandle;
  readonly ladder: Pick<Ladder, "undoWindowSeconds">;
  readonly matches: readonly LadderMatch[];
  readonly me: string | undefined;
  readonly nowMs: number;
  readonly onChanged: () => void;
}

/** Matches with their rating changes and status. The viewer can take back their own reports for a while. */
export function LadderMatches({ handle, ladder, matches, me, nowMs, onChanged }: Props): JSX.Element {
  const [asked, setAsked] = useState<LadderMatch | undefined>(undefined);
  const { isBusy, run } = useAction();
  const voidIt = (match: LadderMatch) => run(() => handle.void(match.id).then(onChanged));
  return (
    <>
      <ol class="matches">
        {matches.map((match) => (
          <li key={match.id}>
            <Match match={match} me={me} nowMs={nowMs} />
            {canVoid(match, ladder, me, nowMs) && (
              <button
                class="button plain small"
                type="button"
                disabled={isBusy}
                onClick={() => setAsked(match)}
              >
                Take back<span class="unseen">: {matchSummary(match, me)}</span>
              </button>
            )}
          </li>
        ))}
      </ol>
      {asked && (
        <Confirm
          key={asked.id}
          question="Take this match back?"
          consequence={`${matchSummary(asked, me)} ${scoreShown(asked)}. Ratings are recalculated without it. The list still shows it.`}
          yes="Yes, take it back"
          no="Keep it"
          onYes={() => voidIt(asked)}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  );
}

interface MatchProps {
  readonly match: LadderMatch;
  readonly me: string | undefined;
  readonly nowMs: number;
}

function Match({ match, me, nowMs }: MatchProps): JSX.Element {
  const status = statusWords(match);
  const isOff = match.status !== "counted" && match.status !== "pending";
  const Words = isOff ? "s" : "span";
  return (
    <div class="match">
      <p class="match-who">
        <Words>
          {matchSummary(match, me)} <span class="match-score">{scoreShown(match)}</span>
        </Words>{" "}
        {status !== "" && <span class={`mark-word ${match.status}`}>{status}</span>}
      </p>
      <p class="soft">
        {changesShown(match).map(({ userId, name, change }) => (
          <span key={userId} class="match-change">
            {name} {change}
          </span>
        ))}
        <span>{ago(match.playedAt ?? match.reportedAt, nowMs)}</span>
      </p>
    </div>
  );
}
