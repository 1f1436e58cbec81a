import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type WaitState, waitPage } from "../../src/index.ts";
import { goneReasons } from "../../src/wait/browser/state.ts";
import { languages } from "../../src/wait/texts/languages.ts";
import { hostileTitle, live, visibleParts, waitingState, waitModel, withScripts } from "./stage.ts";

function pageWith(state: Partial<WaitState>): string {
  return waitPage({ ...waitModel, state: { ...waitingState, ...state } });
}

describe("waiting", () => {
  test("shows position, people ahead, estimate, progress and what is happening", () => {
    const page = pageWith({ position: 12_480, ahead: 12_479, length: 13_000, enteredPosition: 13_900 });
    assert.deepEqual(visibleParts(page), ["waiting", "waiting"]);
    assert.equal(live(page, "number"), "12,480");
    assert.equal(live(page, "ahead"), "12,479 people are ahead of you");
    assert.equal(live(page, "behind"), "520 people behind you");
    assert.equal(live(page, "estimate"), "about 4 to 6 minutes");
    assert.equal(live(page, "happening"), "12 people were let in during the last minute.");
    assert.match(page, /<progress [^>]*max="100" value="10" [^>]*aria-valuetext="10% of the way">/);
    assert.match(page, /<title>12,480 · Shop<\/title>/);
  });

  test("says that the person is next, and what is unknown", () => {
    const page = pageWith({ position: 1, ahead: 0, length: 1, estimate: null, admittedLastMinute: 0 });
    assert.equal(live(page, "ahead"), "You are next");
    assert.equal(live(page, "behind"), "");
    assert.equal(live(page, "estimate"), "not known yet");
    assert.match(live(page, "happening") ?? "", /^Nobody was let in/);
    assert.equal(live(pageWith({ position: 2, ahead: 1 }), "ahead"), "1 person is ahead of you");
  });

  test("says that it is paused", () => {
    const page = pageWith({ paused: true });
    assert.match(page, /data-paused="true"/);
    assert.equal(live(page, "estimate"), "paused");
    assert.match(live(page, "happening") ?? "", /The line is paused\. Everyone keeps their place\./);
  });

  test("can be left with and without scripts, after confirming", () => {
    assert.match(
      pageWith({}),
      /<details><summary[^>]*>Leave the line<\/summary>\s*<form method="post" action="\/wait\/shop\/leave">/,
    );
  });

  test("has a polite and an urgent live region, both empty at first", () => {
    const page = pageWith({});
    assert.equal([...page.matchAll(/aria-live="polite"/g)].length, 1);
    assert.equal([...page.matchAll(/aria-live="assertive"/g)].length, 1);
    assert.deepEqual([live(page, "said"), live(page, "said-at-once")], ["", ""]);
  });
});

describe("the other states", () => {
  test("admitted: a plain link to continue", () => {
    const page = pageWith({ status: "admitted" });
    assert.deepEqual(visibleParts(page), ["admitted"]);
    assert.match(page, /<a class="button" href="\/wait\/shop\/go" data-focus="admitted">Continue<\/a>/);
    assert.match(page, /<title>Your turn — Shop<\/title>/);
  });

  test("active: a link, and no automatic navigation", () => {
    const page = pageWith({ status: "active" });
    assert.deepEqual(visibleParts(page), ["active"]);
    assert.doesNotMatch(page, /http-equiv/);
  });

  test("gone: says why, and offers to join again", () => {
    for (const reason of goneReasons) {
      const page = pageWith({ status: "gone", reason });
      assert.deepEqual(visibleParts(page), ["gone"]);
      assert.equal(live(page, "gone-heading"), languages.en.live.gone[reason].heading);
      assert.equal(live(page, "gone-sentence"), languages.en.live.gone[reason].sentence);
      const canJoin = /<form method="post" action="\/wait\/shop\/enter">/.test(page);
      assert.equal(canJoin, reason !== "room_ended", reason);
    }
    for (const state of [{}, { reason: "never-heard-of" }, { reason: "constructor" }])
      assert.equal(live(pageWith({ status: "gone", ...state }), "gone-heading"), "No place on this device");
  });
});

describe("refreshing", () => {
  test("without scripts the page refreshes by itself when it should ask again", () => {
    const page = pageWith({ askAgainSeconds: 17.2 });
    assert.match(page, /<noscript><meta http-equiv="refresh" content="18"><\/noscript>/);
    assert.match(page, /refreshes automatically every 18 seconds/);
  });

  test("without scripts an admitted person is redirected", () => {
    assert.match(
      pageWith({ status: "admitted" }),
      /<noscript><meta http-equiv="refresh" content="2;url=\/wait\/shop\/go"><\/noscript>/,
    );
  });

  test("with scripts nothing ever reloads", () => {
    for (const status of ["waiting", "admitted", "active", "gone"] as const)
      assert.doesNotMatch(withScripts(pageWith({ status })), /http-equiv/);
  });
});

describe("what comes from outside", () => {
  test("a title cannot become markup", () => {
    for (const status of ["waiting", "admitted", "active", "gone"] as const) {
      const page = waitPage({ ...waitModel, title: hostileTitle, state: { ...waitingState, status } });
      assert.equal([...page.matchAll(/<script/g)].length, 3);
      assert.doesNotMatch(page, /<img/);
      const data = /id="page-data">(.*?)<\/script>/.exec(page)?.[1];
      assert.equal(JSON.parse(data ?? "").title, hostileTitle);
    }
  });

  test("a queue and a return address are escaped in addresses", () => {
    const returnTo = `https://shop.example/?a=1&b="><script>`;
    const page = waitPage({ ...waitModel, queue: `../"x`, returnTo });
    const query = `?return=${encodeURIComponent(returnTo)}`;
    for (const end of ["go", "leave", "enter", "move"])
      assert.ok(page.includes(`"/wait/..%2F%22x/${end}${query}"`), end);
    assert.ok(page.includes(`href="/wait/..%2F%22x${query}"`));
  });

  test("nothing inline runs or styles", () => {
    const page = waitPage({ ...waitModel, nonce: "abc" });
    assert.doesNotMatch(page, / style="| on\w+="|<style/);
    for (const [, attributes, content] of page.matchAll(/<script([^>]*)>(.*?)<\/script>/gs))
      assert.ok(content === "" || attributes.includes("application/json"));
    assert.match(page, /<script defer src="[^"]+" nonce="abc">/);
  });
});
