import type { LadderPlayer } from "@openseat/client";
import type { JSX } from "preact";
import { ratingShown } from "../ui/words.ts";

/** A whole number, with a mark while too little is known of the player. */
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
