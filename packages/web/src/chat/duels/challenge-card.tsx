import type { Hand } from "@openseat/client";
import type { JSX, TargetedEvent } from "preact";
import { useRef, useState } from "preact/hooks";
import { openseat, sentenceOf } from "../../ui/openseat.ts";
import { type DuelLadder, nicknameIn } from "./duels.ts";
import { Hands } from "./hands.tsx";
import { LadderSelect, useChosenLadder } from "./ladder-select.tsx";
import { NicknameField } from "./nickname-field.tsx";

interface Props {
  readonly ladders: readonly DuelLadder[];
  readonly onChallenged: () => void;
}

const nothing = { text: "", isName: false };

/** A form to challenge someone by nickname. */
export function ChallengeCard({ ladders, onChallenged }: Props): JSX.Element {
  const field = useRef<HTMLInputElement>(null);
  const [hand, setHand] = useState<Hand | undefined>(undefined);
  const [problem, setProblem] = useState(nothing);
  const [isBusy, setBusy] = useState(false);
  const ladder = useChosenLadder(ladders);
  async function challenge(event: TargetedEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const opponent = nicknameIn(field.current!.value);
    if (opponent === "") return refuse("Type your opponent's nickname.");
    if (hand === undefined) return setProblem({ text: "Choose rock, paper or scissors.", isName: false });
    setBusy(true);
    try {
      await openseat.duels.challenge(opponent, { throw: hand, ...ladder.named });
      field.current!.value = "";
      setHand(undefined);
      setProblem(nothing);
      onChallenged();
    } catch (error) {
      refuse(sentenceOf(error));
    } finally {
      setBusy(false);
    }
  }
  function refuse(why: string): void {
    setProblem({ text: why, isName: true });
    field.current?.focus();
  }
  return (
    <form class="card stage challenge" onSubmit={challenge} noValidate>
      <h2>Challenge someone</h2>
      <NicknameField
        {...{ field }}
        id="opponent"
        label="Their nickname"
        describedBy="challenge-problem"
        isWrong={problem.isName}
        onInput={() => setProblem(nothing)}
      />
      <Hands legend="What do you throw?" chosen={hand} onChoose={setHand} />
      <LadderSelect id="challenge-ladder" ladders={ladders} {...ladder} />
      <p class="problem" id="challenge-problem" role="alert">
        {problem.text}
      </p>
      <button class="button" type="submit" disabled={isBusy}>
        Challenge
      </button>
    </form>
  );
}
