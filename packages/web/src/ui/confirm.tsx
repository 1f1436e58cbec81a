import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface Props {
  readonly question: string;
  readonly consequence: string;
  readonly yes: string;
  readonly no: string;
  readonly onYes: () => void;
  readonly onClose: () => void;
}

/** Asks before something that cannot be undone. */
export function Confirm({ question, consequence, yes, no, onYes, onClose }: Props): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const close = () => dialog.current?.close();
  return (
    <dialog
      ref={dialog}
      class="box"
      aria-labelledby="confirm-title"
      aria-describedby="confirm-text"
      onClose={onClose}
    >
      <h2 id="confirm-title">{question}</h2>
      <p class="soft" id="confirm-text">
        {consequence}
      </p>
      <div class="row">
        <button
          class="button danger"
          type="button"
          onClick={() => {
            close();
            onYes();
          }}
        >
          {yes}
        </button>
        <button class="button plain" type="button" onClick={close}>
          {no}
        </button>
      </div>
    </dialog>
  );
}
