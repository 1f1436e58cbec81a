import type { JSX, RefObject, TargetedEvent } from "preact";
import { useState } from "preact/hooks";
import { useMe } from "../ui/me.ts";
import { sentenceOf } from "../ui/openseat.ts";

const nameLengthMax = 40;

interface Props {
  readonly dialog: RefObject<HTMLDialogElement | null>;
  readonly name: string;
}

export function NameDialog({ dialog, name }: Props): JSX.Element {
  const { rename } = useMe();
  const [problem, setProblem] = useState("");
  const [isBusy, setBusy] = useState(false);
  async function save(event: TargetedEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const wanted = String(new FormData(event.currentTarget).get("name")).trim();
    if (wanted === "") return setProblem("Type a name first.");
    setBusy(true);
    try {
      if (wanted !== name) await rename(wanted);
      setProblem("");
      dialog.current?.close();
    } catch (error) {
      setProblem(sentenceOf(error));
    } finally {
      setBusy(false);
    }
  }
  return (
    <dialog ref={dialog} class="box" aria-labelledby="name-title" onClose={() => setProblem("")}>
      <form onSubmit={save}>
        <h2 id="name-title">What should others call you?</h2>
        <p class="soft" id="name-hint">
          Rooms show your new name from the next time you join.
        </p>
        <label for="name">Your name</label>
        <input
          id="name"
          name="name"
          key={name}
          defaultValue={name}
          maxLength={nameLengthMax}
          autocomplete="nickname"
          spellcheck={false}
          required
          aria-describedby={problem === "" ? "name-hint" : "name-problem"}
          aria-invalid={problem !== ""}
        />
        <p class="problem" id="name-problem" role="alert">
          {problem}
        </p>
        <div class="row">
          <button class="button" type="submit" disabled={isBusy}>
            Save
          </button>
          <button class="button plain" type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </div>
      </form>
    </dialog>
  );
}
