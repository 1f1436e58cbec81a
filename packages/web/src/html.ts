/** Markup that is safe to send. Only `html` makes it, and it escapes whatever is not markup already. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Content = Html | string | number | undefined | readonly Content[];

/** A template whose values cannot break out of it, neither between tags nor inside a quoted attribute. */
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

/** A sentence with markup where it has `{name}`. */
export function sentence(text: string, values: Readonly<Record<string, Html>>): Html {
  return html`${text.split(/\{(\w+)\}/).map((part, index) => (index % 2 === 1 ? values[part] : part))}`;
}

/** JSON for a script element that is read, not run: no text in it can end the element. */
export function jsonElement(id: string, value: unknown): Html {
  const json = JSON.stringify(value).replaceAll("<", "\\u003c");
  return html`<script type="application/json" id="${id}">${new Html(json)}</script>`;
}
