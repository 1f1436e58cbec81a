import { type Content, type Html, html } from "@openseat/web";
import type { Access } from "../../auth/access.ts";
import type { Field } from "./fields.ts";
import { prose } from "./words.ts";

/** A heading that can be linked to. */
export function heading(level: 2 | 3 | 4, id: string, content: Content): Html {
  const inside = html`${content} <a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`;
  if (level === 2) return html`<h2 id="${id}">${inside}</h2>`;
  return level === 3 ? html`<h3 id="${id}">${inside}</h3>` : html`<h4 id="${id}">${inside}</h4>`;
}

/** Code scrolls inside itself, and can be reached by the keyboard to do so. */
export function code(text: string, label: string): Html {
  return html`<pre tabindex="0" role="region" aria-label="${label}"><code>${text}</code></pre>`;
}

export function json(value: unknown, label: string): Html {
  return code(JSON.stringify(value, null, 2), label);
}

export function roleChips(access: Access | undefined): Html {
  if (access === undefined) return html``;
  const roles = access === "public" ? ["anyone"] : access;
  return html`<p class="who">Open to ${roles.map((role) => html`<span class="chip chip-${role}">${role}</span> `)}</p>`;
}

/** The explicit roles keep it a table for those who hear it, also where the small screen stacks its cells. */
export function table(
  label: string,
  columns: readonly string[],
  rows: readonly (readonly Html[])[],
  kind = "plain",
): Html {
  return html`<div class="table ${kind}"><table role="table" aria-label="${label}">
<thead role="rowgroup"><tr role="row">${columns.map(
    (column) => html`<th role="columnheader" scope="col">${column}</th>`,
  )}</tr></thead>
<tbody role="rowgroup">${rows.map(
    (cells) =>
      html`<tr role="row">${cells.map((cell, index) =>
        index === 0
          ? html`<th role="rowheader" scope="row">${cell}</th>`
          : html`<td role="cell">${cell}</td>`,
      )}</tr>
`,
  )}</tbody></table></div>`;
}

/** `notes` says what stands beside a field's name: where it goes, whether it must be there. */
export function fieldTable(
  label: string,
  fields: readonly Field[],
  notes: (field: Field) => readonly string[],
): Html {
  const rows = fields.map((field) => [
    html`<code class="name">${breakable(field.name)}</code>${notes(field).map((note) => html` <span class="note">${note}</span>`)}`,
    html`${field.type}${field.bounds.map((bound) => html`<span class="bound">${prose(bound)}</span>`)}`,
    field.meaning === undefined ? html`` : prose(field.meaning),
  ]);
  return table(label, ["Field", "Type and bounds", "Meaning"], rows, "fields");
}

/** Long paths of fields break after a dot rather than anywhere. */
function breakable(name: string): Html {
  return html`${name.split(".").map((part, index) => (index === 0 ? part : html`.<wbr>${part}`))}`;
}
