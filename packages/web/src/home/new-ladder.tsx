import type { JSX, TargetedEvent } from "preact";
import { useRef, useState } from "preact/hooks";
import { useMe } from "../ui/me.ts";
import { openseat, sentenceOf } from "../ui/openseat.ts";
import { ladderAddress } from "../ui/route.ts";

const titleLengthMax = 100;

/**
 * Creates a ladder from a name and defaults. The id and the rating rules (system, start rating, K, floor and so on) are
 * permanent. The title, confirmation, duels and who can join can be changed over the API.
 */
export function NewLadder(): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const { ensure } = useMe();
  const [problem, setProblem] = useState("");
  const [isBusy, setBusy] = useState(false);
  async function make(event: TargetedEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const title = String(form.get("title")).trim();
    if (title === "") return setProblem("A ladder needs a name.");
    setBusy(true);
    try {
      await ensure();
      const [confirm, duels] = [form.has("confirm"), form.has("duels")];
      const { id } = await openseat.ladders.create({ title, confirm, duels });
      location.assign(ladderAddress(id));
    } catch (error) {
      setProblem(sentenceOf(error));
      setBusy(false);
    }
  }
  return (
    <>
      <button class="button plain" type="button" onClick={() => dialog.current?.showModal()}>
        Create a ladder
      </button>
      <dialog ref={dialog} class="box" aria-labelledby="new-ladder-title" onClose={() => setProblem("")}>
        <form onSubmit={make} noValidate>
          <h2 id="new-ladder-title">Create a ladder</h2>
          <p class="soft">
            Everyone starts at 1000 and is rated by Elo. The id and the rating rules (system, start rating, K
            and floor) are permanent. You can change the other settings later over the API.
          </p>
          <label for="ladder-title">Name</label>
          <input
            id="ladder-title"
            name="title"
            maxLength={titleLengthMax}
            autocomplete="off"
            aria-describedby="ladder-problem"
            aria-invalid={problem !== ""}
          />
          <p class="problem" id="ladder-problem" role="alert">
            {problem}
          </p>
          <Switch name="confirm" text="A result counts only after the opponent has confirmed it" isOn />
          <Switch name="duels" text="Duels count too, if both players want that" />
          <div class="row">
            <button class="button" type="submit" disabled={isBusy}>
              Create
            </button>
            <button class="button plain" type="button" onClick={() => dialog.current?.close()}>
              Cancel
            </button>
          </div>
        </form>
      </dialog>
    </>
  );
}

interface SwitchProps {
  readonly name: string;
  readonly text: string;
  readonly isOn?: boolean;
}

function Switch({ name, text, isOn = false }: SwitchProps): JSX.Element {
  return (
    <label class="check">
      <input type="checkbox" name={name} defaultChecked={isOn} />
      <span>{text}</span>
    </label>
  );
}
