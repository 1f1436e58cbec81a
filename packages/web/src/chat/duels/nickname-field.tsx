import type { JSX, RefObject } from "preact";

interface Props {
  readonly id: string;
  readonly label: string;
  readonly field: RefObject<HTMLInputElement | null>;
  readonly value?: string;
  readonly autocomplete?: "nickname" | "off";
  /** The id of the element with the hint or the error. */
  readonly describedBy: string;
  readonly isWrong: boolean;
  readonly onInput?: () => void;
}

/** The server's limit. Longer nicknames than allowed get an error message; the field must not cut them off. */
const nicknameLengthMax = 100;

export function NicknameField(props: Props): JSX.Element {
  const { id, label, field, value = "", autocomplete = "off", describedBy, isWrong, onInput } = props;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        ref={field}
        defaultValue={value}
        dir="auto"
        maxLength={nicknameLengthMax}
        autocomplete={autocomplete}
        autocapitalize="off"
        spellcheck={false}
        aria-describedby={describedBy}
        aria-invalid={isWrong}
        onInput={onInput}
      />
    </div>
  );
}
