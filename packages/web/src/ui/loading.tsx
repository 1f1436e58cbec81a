import type { JSX } from "preact";

/** The style sheet shows it only after a delay, so that short waits do not flicker. */
export function Loading(): JSX.Element {
  return (
    <p class="loading" role="status">
      Loading…
    </p>
  );
}

export function LoadError({ text }: { readonly text: string }): JSX.Element {
  return (
    <section class="card outcome">
      <h1>Something went wrong</h1>
      <p>{text}</p>
      <button class="button" type="button" onClick={() => location.reload()}>
        Try again
      </button>
    </section>
  );
}
