import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { errorPage, movePage, waitAssets } from "../../src/index.ts";
import { languages } from "../../src/wait/texts/languages.ts";
import { errorKinds, moveProblems } from "../../src/wait/texts/texts.ts";
import { hostileTitle, live, visibleParts, waitingState, withScripts } from "./stage.ts";

const common = { queue: "shop", title: "Shop", language: "en", script: waitAssets().scriptPath } as const;
const place = { state: waitingState, code: "K7Q2-M9XD-4F", codeExpiresAt: "2030-01-01T20:15:00.000Z" };

describe("another device", () => {
  test("shows the code, until when it holds, and where to enter it", () => {
    const page = movePage({ ...common, place, address: "https://t.example/wait/shop/move" });
    assert.match(page, /<p class="code">K7Q2-M9XD-4F<\/p>/);
    assert.match(page, /<time datetime="2030-01-01T20:15:00.000Z">20:15 UTC<\/time>/);
    assert.match(page.replaceAll("<wbr>", ""), /https:\/\/t\.example\/wait\/shop\/move<\/strong>/);
    assert.match(page, /<form class="bring" method="post" action="\/wait\/shop\/move">/);
    assert.match(page, /<input id="code" name="code" required/);
  });

  test("keeps the place alive, but does not navigate by itself", () => {
    const page = movePage({ ...common, place });
    const data = JSON.parse(/id="page-data">(.*?)<\/script>/.exec(page)?.[1] ?? "");
    assert.equal(data.kind, "place");
    assert.equal(data.goTo, undefined);
    assert.equal(live(page, "number"), "142");
    assert.doesNotMatch(page, /http-equiv/);
  });

  test("says when it is the person's turn, or their place is gone", () => {
    const page = (status: "admitted" | "active" | "gone") =>
      movePage({ ...common, place: { ...place, state: { ...waitingState, status, reason: "left" } } });
    assert.deepEqual(visibleParts(page("admitted")), ["admitted active"]);
    assert.deepEqual(visibleParts(page("active")), ["admitted active"]);
    assert.deepEqual(visibleParts(page("gone")), ["gone"]);
    assert.equal(live(page("gone"), "gone-heading"), "You have left the line");
  });

  test("without a place, the page takes a code and runs no script", () => {
    const page = movePage(common);
    assert.match(page, /Continue on this device/);
    assert.doesNotMatch(page, /<script|class="code"/);
  });

  test("says what is wrong", () => {
    for (const problem of moveProblems) {
      const page = movePage({ ...common, problem });
      assert.ok(page.includes(languages.en.move.problems[problem]), problem);
      assert.match(page, /aria-invalid="true" aria-describedby="problem"/);
    }
  });

  test("escapes what comes from outside", () => {
    const page = movePage({
      ...common,
      title: hostileTitle,
      address: hostileTitle,
      returnTo: hostileTitle,
      place: { ...place, code: hostileTitle, codeExpiresAt: hostileTitle },
    });
    assert.equal([...page.matchAll(/<script/g)].length, 3);
    assert.doesNotMatch(page, /<img/);
  });
});

describe("errors", () => {
  test("show what happened and the status in the reader's language", () => {
    for (const kind of errorKinds) {
      const page = errorPage({
        kind,
        status: 418,
        code: "a.code",
        language: "de",
        script: waitAssets().scriptPath,
      });
      const { heading, sentence } = languages.de.errors[kind];
      assert.ok(page.includes(`<h1>${heading}</h1>`) && page.includes(`<p>${sentence}</p>`), kind);
      assert.ok(page.includes("418 · a.code") && page.includes('<html lang="de"'), kind);
    }
  });

  test("there is a link to the line if there is one", () => {
    const page = (kind: (typeof errorKinds)[number]) =>
      errorPage({ ...common, kind, status: 400, returnTo: "/a" });
    assert.match(page("failed"), /<a class="button" href="\/wait\/shop\?return=%2Fa">Back to the line<\/a>/);
    const nowhere = errorPage({
      kind: "no-such-queue",
      status: 404,
      language: "en",
      script: waitAssets().scriptPath,
    });
    assert.doesNotMatch(nowhere, /<a /);
  });

  test("a line that has closed links to the site, and never back to the line", () => {
    const closed = { ...common, kind: "closed", status: 410, returnTo: "/a" } as const;
    assert.match(errorPage({ ...closed, site: "/b" }), /<a class="button" href="\/b">Go to the site<\/a>/);
    assert.doesNotMatch(errorPage(closed), /<a /);
  });

  test("[LM3] a busy server is retried, in the background with scripts and by refreshing without", () => {
    for (const kind of ["busy", "line-full", "too-fast"] as const) {
      const page = errorPage({ ...common, kind, status: 503, retryAfterSeconds: 7 });
      assert.match(page, /<noscript><meta http-equiv="refresh" content="7;url=\/wait\/shop"><\/noscript>/);
      assert.doesNotMatch(withScripts(page), /http-equiv/);
      assert.match(page, /{"kind":"retry","address":"\/wait\/shop","retryAfterSeconds":7}/);
    }
    assert.doesNotMatch(errorPage({ ...common, kind: "failed", status: 400 }), /http-equiv|<script/);
  });

  test("escapes what comes from outside", () => {
    const page = errorPage({ ...common, kind: "busy", status: 503, queue: hostileTitle, code: hostileTitle });
    assert.doesNotMatch(page, /<img|<script>alert/);
  });
});
