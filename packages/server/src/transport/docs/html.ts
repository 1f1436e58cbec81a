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

/** A sentence from a schema or the catalogue: what stands between backticks is code. */
export function prose(text: string): Html {
  const parts = text.split("`");
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

/** The name under which a heading is found: `GET /api/v1/games/{id}` becomes `get-api-v1-games-id`. */
export function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}
