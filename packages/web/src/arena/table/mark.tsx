import type { JSX } from "preact";
import { seatOf } from "./cells.ts";

interface Props {
  readonly label: string;
  readonly labels: readonly string[];
  /** The game, because some games draw their own marks. */
  readonly game: string | null;
}

/** The mark of a seat: a cross, a ring, a disc, or its label, shortened if it is long. */
export function Mark({ label, labels, game }: Props): JSX.Element {
  const seat = seatOf(labels, label);
  const shape = `mark seat-${(Math.max(0, seat) % 6) + 1}`;
  if (game === "tic-tac-toe")
    return (
      <svg class={shape} viewBox="0 0 48 48" aria-hidden="true">
        {seat === 0 ? (
          <path class="ink" pathLength="1" d="M12 12L36 36M36 12L12 36" />
        ) : (
          <circle class="ink" pathLength="1" cx="24" cy="24" r="13" />
        )}
      </svg>
    );
  if (game === "connect-four")
    return (
      <svg class={`${shape} disc disc-${seat + 1}`} viewBox="0 0 48 48" aria-hidden="true">
        <circle class="disc-body" cx="24" cy="24" r="21" />
        {/* A shape as well: players may not see the colours. */}
        {seat === 0 ? (
          <circle class="disc-sign" cx="24" cy="24" r="11" />
        ) : (
          <path
            class="disc-sign"
            d="M24 12l3.6 7.7 8.4 1.1-6.2 5.8 1.6 8.4-7.4-4.1-7.4 4.1 1.6-8.4-6.2-5.8 8.4-1.1z"
          />
        )}
      </svg>
    );
  return (
    <span class={`${shape} chip`} aria-hidden="true">
      {label.length > 3 ? label.slice(0, 2) : label}
    </span>
  );
}
