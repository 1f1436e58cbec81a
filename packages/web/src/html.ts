/** Safe markup. `html` creates it and escapes every value that is not `Html`. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Content = Html | string | number | undefined | readonly Content[];

/** A template that escapes its values, between tags and inside quoted attributes. */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Html {
  return new Html(strings.reduce((text, part, index) => text + markup(values[index - 1]) + part));
}

function markup(content: Content): string {
  if (content === undefined) return "";
  if (content instanceof Html) return content.text;
  if (typeof content === "object") return content.map(markup).join("");
  return escapeHtml(String(content));
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character]);
}

/** Replaces each `{name}` in a sentence with markup. */
export function sentence(text: string, values: Readonly<Record<string, Html>>): Html {
  return html`${text.split(/\{(\w+)\}/).map((part, index) => (index % 2 === 1 ? values[part] : part))}`;
}

/** A script element that holds JSON. `<` is escaped, so that no text can close the element. */
export function jsonElement(id: string, value: unknown): Html {
  const json = JSON.stringify(value).replaceAll("<", "\\u003c");
  return html`<script type="application/json" id="${id}">${new Html(json)}</script>`;
}
