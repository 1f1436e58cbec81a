import type { Ladder, LadderHandle, LadderPlayer } from "@openseat/client";
import type { JSX, TargetedEvent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { sentenceOf } from "../../ui/openseat.ts";
import { PlayerSearch } from "../player-search.tsx";
import { consequence, matchIn, problemsIn, type Report, type ReportProblems } from "./reporting.ts";

interface Props {
  readonly handle: LadderHandle;
  readonly ladder: Ladder;
  readonly me: string;
  readonly onReported: () => void;
  readonly onClose: () => void;
}

const nothing: ReportProblems = {};

/** A form to report a match. Errors appear beside their fields, and the input is kept. */
export function ReportDialog({ handle, ladder, me, onReported, onClose }: Props): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const [opponent, setOpponent] = useState<LadderPlayer | undefined>(undefined);
  const [scores, setScores] = useState({ yours: "", theirs: "" });
  const [isTried, setTried] = useState(false);
  const [refusal, setRefusal] = useState("");
  const [isBusy, setBusy] = useState(false);
  useEffect(() => dialog.current?.showModal(), []);
  const report: Report = { opponent, ...scores };
  // Show problems after the first attempt to send; each disappears as soon as it is fixed.
  const problems = isTried ? problemsIn(report, me) : nothing;
  async function send(event: TargetedEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const match = matchIn(report, me);
    setTried(true);
    setRefusal("");
    if (!match) {
      focusFirst(event.currentTarget, problemsIn(report, me));
      return;
    }
    setBusy(true);
    try {
      await handle.report(match);
      onReported();
      dialog.current?.close();
    } catch (error) {
      setRefusal(sentenceOf(error));
      setBusy(false);
    }
  }
  const score = (field: "yours" | "theirs", label: string) => (
    <ScoreField
      {...{ field, label }}
      value={scores[field]}
      problem={problems[field]}
      onInput={(text) => setScores({ ...scores, [field]: text })}
    />
  );
  return (
    <dialog ref={dialog} class="box" aria-labelledby="report-title" onClose={onClose}>
      <form onSubmit={send} noValidate autocomplete="off">
        <h2 id="report-title">Report a match</h2>
        <PlayerSearch
          id="opponent"
          label="Who did you play?"
          handle={handle}
          without={me}
          chosen={opponent}
          problem={problems.opponent}
          onChoose={setOpponent}
        />
        <div class="scores">
          {score("yours", "Your score")}
          {score("theirs", "Their score")}
        </div>
        <p class="soft" role="status">
          {consequence(report, ladder)}
        </p>
        <p class="problem" role="alert">
          {refusal}
        </p>
        <div class="row">
          <button class="button" type="submit" disabled={isBusy}>
            Report
          </button>
          <button class="button plain" type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </div>
      </form>
    </dialog>
  );
}

function focusFirst(form: HTMLFormElement, problems: ReportProblems): void {
  const [first] = Object.keys(problems);
  form.querySelector<HTMLElement>(`#${first}`)?.focus();
}

interface ScoreProps {
  readonly field: "yours" | "theirs";
  readonly label: string;
  readonly value: string;
  readonly problem: string | undefined;
  readonly onInput: (text: string) => void;
}

/** A text field, because a number field silently drops input that is not a number. */
function ScoreField({ field, label, value, problem, onInput }: ScoreProps): JSX.Element {
  return (
    <div class="field">
      <label for={field}>{label}</label>
      <input
        id={field}
        inputMode="numeric"
        maxLength={20}
        value={value}
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : `${field}-problem`}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {problem !== undefined && (
        <p class="problem" id={`${field}-problem`}>
          {problem}
        </p>
      )}
    </div>
  );
}
