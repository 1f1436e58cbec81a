import type { JSX } from "preact";
import { SeatMark } from "../ui/icons.tsx";
import { exampleOf } from "./example.ts";

/** Shown while there are no rooms: how to create one. */
export function EmptyHome(): JSX.Element {
  return (
    <section class="card empty">
      <span class="badge">
        <SeatMark />
      </span>
      <h2>No rooms yet</h2>
      <p>Create one from a terminal. New rooms appear here automatically.</p>
      <pre>
        <code>{exampleOf(location.origin)}</code>
      </pre>
    </section>
  );
}
