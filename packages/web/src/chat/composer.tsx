import type { JSX, TargetedEvent } from "preact";
import { useRef, useState } from "preact/hooks";
import { ArrowIcon } from "../ui/icons.tsx";
import { type Suggestion, suggestions } from "./conversation-lines.ts";

/** The server's limit. The chat answers messages that are too long to process; the field must not cut them off. */
const textLengthMax = 4_096;

/** The message field with its suggestions. */
export function Composer({ onSay }: { readonly onSay: (text: string) => void }): JSX.Element {
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  function send(event: TargetedEvent<HTMLFormElement>): void {
    event.preventDefault();
    field.current?.focus();
    if (text.trim() === "") return;
    onSay(text.trim());
    setText("");
  }
  function take({ text: suggested, isWhole }: Suggestion): void {
    if (isWhole) {
      onSay(suggested);
      return;
    }
    setText(suggested);
    field.current?.focus();
  }
  return (
    <div class="composer">
      <ul class="chips" aria-label="What you can say">
        {suggestions.map((suggestion) => (
          <li key={suggestion.text}>
            <button class="say" type="button" onClick={() => take(suggestion)}>
              {suggestion.text}
              {!suggestion.isWhole && "…"}
            </button>
          </li>
        ))}
      </ul>
      <form onSubmit={send}>
        <label class="unseen" for="message">
          Your message
        </label>
        <input
          id="message"
          ref={field}
          value={text}
          dir="auto"
          maxLength={textLengthMax}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          enterkeyhint="send"
          placeholder="Write a message"
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button class="button send" type="submit">
          <span class="unseen">Send</span>
          <ArrowIcon />
        </button>
      </form>
    </div>
  );
}
