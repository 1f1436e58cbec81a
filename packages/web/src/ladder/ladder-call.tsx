import type { LadderHandle } from "@openseat/client";
import type { JSX, RefObject } from "preact";
import { useState } from "preact/hooks";
import { Confirm } from "../ui/confirm.tsx";
import { useAction } from "../ui/hooks/use-action.ts";
import { useMe } from "../ui/me.ts";
import { pageAround, placeOf } from "./places.ts";
import { ReportDialog } from "./report/report-dialog.tsx";
import { isOn, ladderCall } from "./standing.ts";
import type { LadderSeen } from "./use-ladder.ts";

interface Props {
  readonly handle: LadderHandle;
  readonly seen: LadderSeen;
  readonly headline: RefObject<HTMLHeadingElement | null>;
  readonly showFrom: (from: number) => void;
  readonly refresh: () => void;
}

/** Search at most this many players of equal rank for the viewer's own row. */
const equalsMax = 500;

/** The viewer's standing, and the actions they can take. */
export function LadderCallCard({ handle, seen, headline, showFrom, refresh }: Props): JSX.Element {
  const { ensure } = useMe();
  const { isBusy, run } = useAction();
  const [asked, setAsked] = useState<"report" | "leave" | undefined>(undefined);
  const { ladder, you, players } = seen;
  const call = ladderCall(ladder, you);
  const isHere = players.some(({ userId }) => userId === you?.userId);
  async function join(): Promise<void> {
    await ensure();
    await handle.join();
    refresh();
  }
  async function leave(): Promise<void> {
    await handle.leave();
    refresh();
  }
  async function findMe(): Promise<void> {
    if (!you?.rank) return;
    const equals = await handle.standings({ from: you.rank, limit: equalsMax });
    showFrom(pageAround(placeOf(you, equals.players)));
  }
  return (
    <>
      <div class={`call ${call.tone}`} data-tone={call.tone}>
        <div class="call-words">
          <h2 ref={headline} tabIndex={-1}>
            {call.headline}
          </h2>
          <p>{call.detail}</p>
        </div>
        {call.way && (
          <button class="button" type="button" disabled={isBusy} onClick={() => run(join)}>
            {call.way}
          </button>
        )}
        {isOn(you) && ladder.status !== "ENDED" && (
          <div class="row call-ways">
            <button class="button" type="button" onClick={() => setAsked("report")}>
              Report a match
            </button>
            {!isHere && (
              <button class="button plain" type="button" disabled={isBusy} onClick={() => run(findMe)}>
                Show my place
              </button>
            )}
            <button class="button plain" type="button" disabled={isBusy} onClick={() => setAsked("leave")}>
              Leave
            </button>
          </div>
        )}
      </div>
      {asked === "report" && isOn(you) && (
        <ReportDialog
          {...{ handle, ladder }}
          me={you.userId}
          onReported={refresh}
          onClose={() => setAsked(undefined)}
        />
      )}
      {asked === "leave" && (
        <Confirm
          question="Leave this ladder?"
          consequence="Your matches stay. If you come back, you keep your rating."
          yes="Yes, leave"
          no="Stay"
          onYes={() => run(leave)}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  );
}
