import { type Html, html } from "@openseat/web";

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
