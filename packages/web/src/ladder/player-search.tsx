import type { LadderHandle, LadderPlayer } from "@openseat/client";
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ratingShown } from "../ui/words.ts";
import { optionAfter } from "./options.ts";
import { ordinal } from "./standing.ts";

interface Props {
  readonly id: string;
  readonly label: string;
  readonly handle: LadderHandle;
  /** A player to leave out of the results. */
  readonly without: string;
  readonly chosen: Pick<LadderPlayer, "userId" | "name"> | undefined;
  readonly problem?: string | undefined;
  readonly onChoose: (player: LadderPlayer | undefined) => void;
}

/** Wait for a pause in typing before searching. */
const typingMs = 150;
const optionsMax = 8;

/** A search field for players by the beginning of their name. */
export function PlayerSearch(props: Props): JSX.Element {
  const { id, label, handle, without, chosen, problem, onChoose } = props;
  const [text, setText] = useState(chosen?.name ?? "");
  const [isOpen, setOpen] = useState(false);
  const [pointed, setPointed] = useState(-1);
  const found = useFound(handle, chosen ? "" : text.trim(), without);
  const options = isOpen && !chosen ? (found ?? []) : [];
  const list = `${id}-list`;
  function choose(player: LadderPlayer): void {
    setText(player.name);
    setOpen(false);
    setPointed(-1);
    onChoose(player);
  }
  function onKeyDown(event: KeyboardEvent): void {
    const next = optionAfter(event.key, pointed, options.length);
    if (next !== undefined) setPointed(next);
    else if (event.key === "Enter" && options[pointed]) choose(options[pointed]);
    else if (event.key === "Escape" && options.length > 0) setOpen(false);
    else return;
    // Enter must not submit the form, and Escape must not close the dialog.
    event.preventDefault();
  }
  return (
    <div class="field search">
      <label for={id}>{label}</label>
      <input
        id={id}
        role="combobox"
        type="text"
        autocomplete="off"
        spellcheck={false}
        maxLength={100}
        placeholder="Type a name"
        value={text}
        aria-expanded={options.length > 0}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={pointed >= 0 ? `${list}-${pointed}` : undefined}
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : `${id}-problem`}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setOpen(true);
          setPointed(-1);
          if (chosen) onChoose(undefined);
        }}
        onKeyDown={onKeyDown}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
      />
      <Options {...{ list, label, options, pointed }} onChoose={choose} />
      <p class="unseen" role="status">
        {isOpen && !chosen && found && resultsAnnouncement(found.length)}
      </p>
      {isOpen && !chosen && found?.length === 0 && (
        <p class="soft none">No player with that name is on this ladder.</p>
      )}
      {problem !== undefined && !chosen && (
        <p class="problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </div>
  );
}

function resultsAnnouncement(found: number): string {
  return found === 0 ? "" : found === 1 ? "1 player found." : `${found} players found.`;
}

interface OptionsProps {
  readonly list: string;
  readonly label: string;
  readonly options: readonly LadderPlayer[];
  readonly pointed: number;
  readonly onChoose: (player: LadderPlayer) => void;
}

function Options({ list, label, options, pointed, onChoose }: OptionsProps): JSX.Element {
  return (
    <div id={list} role="listbox" aria-label={label} class="options" hidden={options.length === 0}>
      {options.map((player, index) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field, which names the option
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
        <div
          key={player.userId}
          id={`${list}-${index}`}
          role="option"
          class={index === pointed ? "option pointed" : "option"}
          aria-selected={index === pointed}
          // Otherwise the field loses the focus and the list closes before the click.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onChoose(player)}
        >
          <span class="option-name">{player.name}</span>
          <span class="soft">
            {ratingShown(player.rating)}
            {player.rank !== null && `, ${ordinal(player.rank)}`}
          </span>
        </div>
      ))}
    </div>
  );
}

/** Players whose name begins with `start`; undefined until loaded. Leaves out players who have left. */
function useFound(handle: LadderHandle, start: string, without: string): readonly LadderPlayer[] | undefined {
  const [found, setFound] = useState<readonly LadderPlayer[] | undefined>(undefined);
  useEffect(() => {
    if (start === "") {
      setFound(undefined);
      return undefined;
    }
    let isCurrent = true;
    const timer = setTimeout(() => {
      // Ask for one more, because `without` may be among the results.
      handle.search(start, optionsMax + 1).then(
        (players) => {
          const others = players.filter(({ userId, leftAt }) => userId !== without && leftAt === null);
          if (isCurrent) setFound(others.slice(0, optionsMax));
        },
        // Ignore a failure: the next letter searches again.
        () => {},
      );
    }, typingMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [handle, start, without]);
  return found;
}
