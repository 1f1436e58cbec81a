import type { MatchResult } from "@openseat/client";
import type { JSX } from "preact";
import { replayAddress } from "../ui/route.ts";
import { ago } from "../ui/words.ts";
import { detailOf, summaryOf } from "./table/result.ts";

interface Props {
  readonly arena: string;
  readonly matches: readonly MatchResult[];
  readonly nowMs: number;
}

export function Recent({ arena, matches, nowMs }: Props): JSX.Element {
  return (
    <section class="card side" aria-labelledby="recent-title">
      <h2 id="recent-title">Recent matches</h2>
      {matches.length === 0 && <p class="soft">No matches yet.</p>}
      <ol class="recent">
        {matches.map((match) => (
          <li key={match.id}>
            <a href={replayAddress(arena, match.id)}>
              <span class="recent-who">{summaryOf(match)}</span>
              <span class="soft">
                {detailOf(match)} {ago(match.endedAt, nowMs)}
                <span class="unseen">. Replay match {match.number}</span>
              </span>
            </a>
          </li>
        ))}
      </ol>
    </section>
  );
}
