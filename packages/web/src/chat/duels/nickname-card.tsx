import type { JSX, TargetedEvent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { openseat, sentenceOf } from "../../ui/openseat.ts";
import { nicknameIn } from "./duels.ts";
import { NicknameField } from "./nickname-field.tsx";

interface Props {
  readonly nickname: string | null;
  readonly onTaken: () => void;
}

/** The viewer's nickname, or a form to choose one. */
export function NicknameCard({ nickname, onTaken }: Props): JSX.Element {
  const [isChanging, setChanging] = useState(false);
  if (nickname === null || isChanging)
    return (
      <NicknameForm
        nickname={nickname}
        onDone={(isTaken) => {
          setChanging(false);
          if (isTaken) onTaken();
        }}
      />
    );
  return (
    <div class="card named">
      <p>
        Your nickname is <bdi class="nickname-shown">{nickname}</bdi>.
      </p>
      <button class="button plain small" type="button" onClick={() => setChanging(true)}>
        Change
      </button>
    </div>
  );
}

interface FormProps {
  readonly nickname: string | null;
  readonly onDone: (isTaken: boolean) => void;
}

function NicknameForm({ nickname, onDone }: FormProps): JSX.Element {
  const [problem, setProblem] = useState("");
  const [isBusy, setBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // The viewer pressed "Change", so let them type at once.
    if (nickname === null) return;
    field.current?.focus();
    field.current?.select();
  }, [nickname]);
  async function take(event: TargetedEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const wanted = nicknameIn(field.current!.value);
    if (wanted === nickname) return onDone(false);
    if (wanted === "") return setProblem("A nickname has 2 to 20 letters, digits, _ or -.");
    setBusy(true);
    try {
      await openseat.people.takeNickname(wanted);
      onDone(true);
    } catch (error) {
      setProblem(sentenceOf(error));
      setBusy(false);
      field.current?.focus();
    }
  }
  return (
    <form class="card stage nickname" onSubmit={take} noValidate>
      <h2>{nickname === null ? "Choose a nickname first" : "Change your nickname"}</h2>
      <p class="soft" id="nickname-hint">
        {nickname === null
          ? "Others use it to find you, here and in chats."
          : "Others can take your current nickname then."}
      </p>
      <NicknameField
        {...{ field }}
        id="nickname"
        label="Your nickname"
        value={nickname ?? ""}
        autocomplete="nickname"
        describedBy={problem === "" ? "nickname-hint" : "nickname-problem"}
        isWrong={problem !== ""}
      />
      <p class="problem" id="nickname-problem" role="alert">
        {problem}
      </p>
      <div class="row">
        <button class="button" type="submit" disabled={isBusy}>
          Save
        </button>
        {nickname !== null && (
          <button class="button plain" type="button" onClick={() => onDone(false)}>
            Cancel
          </button>
        )}
      </div>
    </form>
  );
}
