import type { LadderPlayer } from "@openseat/client";
import type { JSX } from "preact";
import { ratingShown } from "../ui/words.ts";

/** A rating as a whole number, with a mark while it is provisional. */
export function Rating({
  player: { rating, provisional },
}: {
  readonly player: Pick<LadderPlayer, "rating" | "provisional">;
}): JSX.Element {
  return (
    <>
      {ratingShown(rating)}
      {provisional && (
        <span class="provisional" title="Provisional: too few matches yet">
          <span aria-hidden="true">?</span>
          <span class="unseen"> provisional</span>
        </span>
      )}
    </>
  );
}
