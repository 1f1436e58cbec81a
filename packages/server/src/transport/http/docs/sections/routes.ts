import { type Html, html } from "@openseat/web";
import { curlFor } from "../examples.ts";
import type { Operation, Parameter } from "../operations.ts";
import { code, fieldTable, heading, roleChips } from "../parts.ts";
import { prose, slug } from "../words.ts";
import type { Section } from "./section.ts";

/** After what people come for. */
const lastGroups = ["live", "server"];

/** The routes, in the groups that their paths make. */
export function routeSections(operations: readonly Operation[]): Section[] {
  const groups = Map.groupBy(operations, ({ group }) => group);
  const names = [...groups.keys()].sort((a, b) => lastGroups.indexOf(a) - lastGroups.indexOf(b));
  return names.map((name) => routeSection(name, groups.get(name) ?? []));
}

function routeSection(group: string, operations: readonly Operation[]): Section {
  const id = `routes-${slug(group)}`;
  const title = group.charAt(0).toUpperCase() + group.slice(1);
  return {
    id,
    title,
    entries: operations.map((operation) => ({ id: idOf(operation), title: operation.summary })),
    body: html`${heading(2, id, title)}${operations.map(route)}`,
  };
}

const idOf = ({ method, path }: Operation) => slug(`${method} ${path}`);

function route(operation: Operation): Html {
  const { method, path, summary, access, parameters, body, answers } = operation;
  return html`<article class="route" aria-labelledby="${idOf(operation)}">
${heading(3, idOf(operation), summary)}
<p class="address"><span class="method method-${method.toLowerCase()}">${method}</span> <code class="path">${pathMarkup(path)}</code></p>
${roleChips(access)}
${parameters.length === 0 ? undefined : html`<h4>Parameters</h4>${parameterTable(summary, parameters)}`}
${body.fields.length === 0 ? undefined : bodyPart(operation)}
${answers.filter(({ fields }) => fields.length > 0).map(({ status, fields }) => answerPart(summary, status, fields))}
<h4>Try it</h4>
${code(curlFor(operation), `${summary}, with curl`)}
</article>
`;
}

/** Parameters stand out, and long paths break before a slash. */
function pathMarkup(path: string): Html {
  return html`${path
    .split(/(?=\/)|(?=\{)/)
    .map((part) => (part.startsWith("{") ? html`<var>${part}</var>` : html`<wbr>${part}`))}`;
}

function parameterTable(summary: string, parameters: readonly Parameter[]): Html {
  const where = new Map(parameters.map((parameter) => [parameter.name, parameter.in]));
  return fieldTable(`Parameters: ${summary}`, parameters, ({ name, required }) => [
    where.get(name) ?? "",
    ...(required ? ["required"] : []),
  ]);
}

function bodyPart({ summary, body }: Operation): Html {
  const mayBeEmpty = body.mayBeEmpty ? html`<p>May be left out altogether.</p>` : undefined;
  const fields = fieldTable(`Body: ${summary}`, body.fields, ({ required }) =>
    required ? ["required"] : [],
  );
  const types = ["JSON", ...body.otherTypes].join(" or ");
  const either =
    body.either.length > 0
      ? html`<p>${prose(body.either.map((name) => `\`${name}\``).join(" or "))}, not both.</p>`
      : undefined;
  return html`<h4>Body (${types})</h4>${mayBeEmpty}${either}${fields}`;
}

function answerPart(summary: string, status: string, fields: Operation["answers"][number]["fields"]): Html {
  return html`<details class="answer"><summary>Answer <span class="status">${status}</span>, its <code>data</code></summary>
${fieldTable(`Answer: ${summary}`, fields, ({ required }) => (required ? [] : ["optional"]))}
</details>`;
}
