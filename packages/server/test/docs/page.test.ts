import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { request } from "node:http";
import { before, describe, test } from "node:test";
import { refusals } from "@openseat/kernel";
import type { ApiDocument } from "../../src/transport/http/docs/api-document.ts";
import { docsPage } from "../../src/transport/http/docs/page.ts";
import { serverOfSuite } from "../support/server.ts";

/** What a reader sees: no tags, and entities as what they stand for. */
function textOf(markup: string): string {
  return markup
    .replace(/<style>[\s\S]*?<\/style>/, "")
    .replace(/<[^>]*>/g, "")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

function pageFor(url: string, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/docs`, { headers: { host } }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve(text));
    });
    asked.on("error", reject).end();
  });
}

describe("/docs", () => {
  const { server } = serverOfSuite([]);
  let response: Response;
  let page: string;
  before(async () => {
    response = await fetch(`${server.url}/docs`);
    page = await response.text();
  });

  test("is a page of HTML", () => {
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("content-type"), "text/html; charset=utf-8");
    assert.match(page, /^<!doctype html>\n<html lang="en">/);
  });

  test("allows nothing but its own style sheet, and has no script, no handler and nothing from outside", () => {
    const [, style] = /<style>([\s\S]*?)<\/style>/.exec(page) ?? [];
    const hash = createHash("sha256").update(style).digest("base64");
    const policy = response.headers.get("content-security-policy") ?? "";
    assert.ok(policy.startsWith(`default-src 'none'; style-src 'sha256-${hash}';`), policy);
    assert.doesNotMatch(
      page,
      /<script|<iframe|<object|<embed|<link(?! rel="icon")|\sstyle="|\son\w+="|@import/i,
    );
    assert.doesNotMatch(page, /\b(?:src|href)="(?!#|(?:\/)?openapi\.json"|data:image\/svg\+xml,)/);
  });

  test("names every route of the OpenAPI document, with its summary and who may use it", async () => {
    const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as ApiDocument;
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const [method, { summary }] of Object.entries(operations)) {
        const articles = page.split('<article class="route"').map((article) => textOf(`<${article}`));
        const article = articles.find((text) => text.includes(`${method.toUpperCase()} ${path}\n`));
        assert.ok(article, `${method} ${path} is not there`);
        assert.ok(article.includes(summary ?? ""), `${method} ${path} has no summary`);
        assert.match(article, /Open to (anyone|person|service|operator)/, `${method} ${path}`);
      }
    }
  });

  test("a body that may be of two kinds is shown with the fields of both, and its values where they can be counted", () => {
    const articles = page.split('<article class="route"').map((article) => textOf(`<${article}`));
    const articleOf = (route: string) => articles.find((text) => text.includes(`${route}\n`))!;
    const messages = articleOf("POST /api/v1/chat/messages");
    for (const part of ["text or messages, not both", "messages[].messageId", "1 to 100 of them"])
      assert.ok(messages.includes(part), part);
    for (const part of ["reply", "replies[].reply", "batchItemFailures[].itemIdentifier", `-d '{"text":`])
      assert.ok(messages.includes(part), part);
    assert.match(articleOf("POST /api/v1/duels/{id}/throw"), /rock, paper, scissors/);
  });

  test("names every refusal, with its status and meaning", () => {
    const text = textOf(page).replace(/\s+/g, "");
    for (const [code, { status, means }] of Object.entries(refusals)) {
      const row = `${code}${status}${means.replaceAll("`", "")}`.replace(/\s+/g, "");
      assert.ok(text.includes(row), `${code} is not there`);
    }
  });

  test("every link within the page leads somewhere, and no two things have one name", () => {
    const ids = [...page.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);
    assert.deepEqual(
      ids.filter((id, index) => ids.indexOf(id) !== index),
      [],
    );
    const targets = [...page.matchAll(/href="#([^"]*)"/g)].map(([, id]) => id);
    assert.deepEqual(
      targets.filter((id) => !ids.includes(id)),
      [],
    );
  });

  test("the examples go to the address by which the reader came", async () => {
    assert.ok(page.includes(`curl -X POST ${server.url}/api/v1/games/demo/join`));
    const other = await pageFor(server.url, "seats.example:8443");
    assert.ok(other.includes("curl -X POST http://seats.example:8443/api/v1/games/demo/join"));
  });

  test("a Host header cannot write into the page, nor into the commands that a reader copies", async () => {
    for (const host of ["<b>x", "a.example;reboot", "$(reboot)", "`reboot`", `"><i>`, "a b"]) {
      const text = await pageFor(server.url, host);
      assert.ok(text.includes("curl -X POST http://localhost:8080/api/v1/games/demo/join"), host);
    }
  });
});

describe("the page of another API", () => {
  const operation = {
    summary: 'Enter <b>now</b> & "wait"',
    "x-access": ["operator"],
    parameters: [{ name: "id", in: "path", required: true, schema: { $ref: "#/components/schemas/Id" } }],
    requestBody: {
      content: {
        "application/json": {
          schema: {
            type: "object",
            required: ["lane"],
            properties: {
              lane: { type: "integer", minimum: 0, maximum: 3, description: "Which `lane`." },
              note: { type: "string", pattern: "^<x>$" },
            },
          },
        },
      },
    },
  } as const;
  const later: ApiDocument = {
    openapi: "3.1.0",
    info: { title: "Openseat", version: "9" },
    paths: { "/api/v1/queues/{id}/enter": { post: operation } },
    components: { schemas: { Id: { type: "string", maxLength: 7 } } },
  };
  const page = docsPage(later)("http://h");

  test("shows a route that nobody here knew of: its group, its fields, their bounds, an example", () => {
    const text = textOf(page);
    assert.match(page, /<h2 id="routes-queues">Queues/);
    assert.match(text, /POST \/api\/v1\/queues\/\{id\}\/enter\n\s*Open to operator/);
    for (const part of ["at most 7 characters", "0 to 3", "Which lane.", "^<x>$", `-d '{"lane":0}'`]) {
      assert.ok(text.includes(part), part);
    }
  });

  test("what a schema says cannot become markup", () => {
    assert.ok(page.includes("Enter &lt;b&gt;now&lt;/b&gt; &amp; &quot;wait&quot;"));
    assert.ok(!page.includes("<b>") && !page.includes("<x>"));
  });
});
