import type { JSX } from "preact";
import { exportAddress } from "../ui/route.ts";

type What = Parameters<typeof exportAddress>[1];

interface Props {
  readonly ladder: string;
  readonly what: readonly What[];
  readonly player?: string | undefined;
}

const names: Readonly<Record<What, string>> = {
  standings: "Standings",
  matches: "Matches",
  history: "History",
};

/** Download links for the ladder's data. */
export function ExportLinks({ ladder, what, player }: Props): JSX.Element {
  return (
    <section class="card side" aria-labelledby="export-title">
      <h2 id="export-title">Export</h2>
      <ul class="exports">
        {what.map((each) => (
          <li key={each}>
            <span>{names[each]}</span>
            {(["csv", "json"] as const).map((format) => (
              <a key={format} href={exportAddress(ladder, each, format, player)} download>
                <span class="unseen">{names[each]} as </span>
                {format.toUpperCase()}
              </a>
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}
