import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { PencilIcon, SeatMark } from "../ui/icons.tsx";
import { useMe } from "../ui/me.ts";
import { homeAddress } from "../ui/route.ts";
import { NameDialog } from "./name-dialog.tsx";

export function Header(): JSX.Element {
  const { me } = useMe();
  const dialog = useRef<HTMLDialogElement>(null);
  return (
    <header class="head">
      <a class="brand" href={homeAddress} aria-label="Openseat, all rooms">
        <SeatMark />
        <span>Openseat</span>
      </a>
      {me && (
        <button class="me" type="button" title="Change your name" onClick={() => dialog.current?.showModal()}>
          <span class="unseen">You are </span>
          <span class="me-name">{me.name}</span>
          <span class="unseen">. Change your name</span>
          <PencilIcon />
        </button>
      )}
      {me && <NameDialog dialog={dialog} name={me.name} />}
    </header>
  );
}
