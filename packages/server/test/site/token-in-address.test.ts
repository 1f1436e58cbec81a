import assert from "node:assert/strict";
import { test } from "node:test";
import { tokenIn, withoutToken, withToken } from "../../src/transport/site/token-in-address.ts";

test("a token is added to an address, read from it, and removed again, and the rest stays unchanged", () => {
  for (const [bare, full] of [
    ["/", "/?openseat_token=a.b.c"],
    ["/shop?x=%20+1", "/shop?x=%20+1&openseat_token=a.b.c"],
    ["/shop#end", "/shop?openseat_token=a.b.c#end"],
    ["/shop?x#a?b", "/shop?x&openseat_token=a.b.c#a?b"],
    ["https://other.example/app?x=1#y", "https://other.example/app?x=1&openseat_token=a.b.c#y"],
  ]) {
    assert.equal(withToken(bare, "a.b.c"), full);
    assert.equal(tokenIn(full), "a.b.c");
    assert.equal(withoutToken(full), bare);
    assert.equal(tokenIn(bare), undefined);
    assert.equal(withoutToken(bare), bare);
  }
});

test("there is never more than one, and a parameter that begins alike is another parameter", () => {
  assert.equal(withToken("/?openseat_token=old&x=1&openseat_token", "new"), "/?x=1&openseat_token=new");
  assert.equal(tokenIn("/?openseat_tokens=a&x=openseat_token=b"), undefined);
  assert.equal(tokenIn("/#openseat_token=a"), undefined);
  assert.equal(tokenIn("/?openseat_token"), "");
});
