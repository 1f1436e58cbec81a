import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { Bypass } from "../src/index.ts";
import { Stage, shop } from "./support/stage.ts";
import { StandIn } from "./support/stand-in.ts";

suite("the bypass list", () => {
  let openseat: StandIn;
  before(async () => {
    openseat = await StandIn.start();
  });
  after(() => openseat.stop());

  const bypasses = async (bypass: Bypass, url: string, method = "GET") =>
    (await new Stage(openseat, { bypass }).visit(url, { method })).passed === "bypassed";
  const list: Bypass = ["/healthz", "/assets/*", "/öffentlich/*", /\.(?:css|js)$/];

  test("has paths, everything below a path, and patterns", async () => {
    for (const url of [
      "/healthz",
      "/healthz?full=1",
      "/assets/a.png",
      "/assets/a/b.png?v=1",
      "/assets/a%20b.png",
      "/%61ssets/a.png",
      "/%C3%B6ffentlich/x",
      "/deep/site.css",
      "https://any.test/assets/a.png",
    ])
      assert.ok(await bypasses(list, url), url);
    for (const url of [
      "/",
      "/healthz/",
      "/healthzz",
      "/assets",
      "/assets/",
      "/assetsx/a",
      "/Assets/a",
      "/site.css/x",
    ])
      assert.ok(!(await bypasses(list, url)), url);
    assert.deepEqual(
      openseat.asked.filter((asked) => !asked.includes("queues")),
      [],
      "it needs no call",
    );
  });

  test("is not passed by a path that a server could read as another one", async () => {
    for (const url of [
      "/assets/../checkout",
      "/assets/..",
      "/assets/x/../../checkout",
      "/assets/%2e%2e/checkout",
      "/assets/%2E./checkout",
      "/assets/.%2e/checkout",
      "/assets/..%2fcheckout",
      "/assets/%2e%2e%2fcheckout",
      "/assets/..%5ccheckout",
      "/assets/..\\checkout",
      "/assets/%252e%252e/checkout",
      "/assets//../checkout",
      "//assets/x",
      "/assets//x",
      "/assets/..;/checkout",
      "/assets/..;x=1/checkout",
      "/assets/.. /checkout",
      "/assets/..%00/checkout",
      "/assets/%0a",
      "/assets/%c0%ae%c0%ae/checkout",
      "/assets/%",
      "/assets/x%23.css",
      "/checkout%3f.css",
      "/checkout%00.css",
      "/checkout;.css",
      "/checkout?.css",
      "/checkout#.css",
      "/healthz%2f..%2fcheckout",
      "/./healthz",
    ])
      assert.ok(!(await bypasses(list, url)), url);
    // Where the platform has resolved the path, the site gets the resolved one too.
    assert.ok(!(await bypasses(list, "https://any.test/assets/%2e%2e/checkout")));
  });

  test("can be a function of the request and the decoded path", async () => {
    const hooks: Bypass = ({ method }, path) => method === "POST" && path.startsWith("/hooks/");
    assert.ok(await bypasses(hooks, "/hooks/a%20b", "POST"));
    assert.ok(!(await bypasses(hooks, "/hooks/a")));
    assert.ok(!(await bypasses(hooks, "/hooks/../buy", "POST")));
    assert.ok(!(await bypasses((() => "yes") as never, "/")), "only true counts");
    assert.ok(await bypasses([/x/g], "/x"));
  });

  test("keeps no token in an address", async () => {
    const stage = new Stage(openseat, { bypass: list });
    const path = `/assets/a.png?openseat_token=${stage.admit()}&v=1`;
    const { status, location, cookies } = await stage.visit(path);
    assert.deepEqual([status, location, cookies.length], [303, `${shop}/assets/a.png?v=1`, 1]);
    const bad = await stage.visit("/assets/a.png?openseat_token=bad");
    assert.deepEqual([bad.status, bad.location], [303, `${shop}/assets/a.png`]);
  });
});
