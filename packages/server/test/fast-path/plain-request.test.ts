import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type PlainRequest, readPlain } from "../../src/transport/http/fast-path/plain-request.ts";

/** Whether the first request in the text is plain and complete. */
function isWhole(text: string): boolean {
  const read = readPlain(text);
  return typeof read === "object" && read.end <= text.length;
}

const good = "GET /a/b HTTP/1.1\r\nHost: a\r\n\r\n";

describe("a plain request", () => {
  const plain: Record<string, string> = {
    "the least there can be": good,
    "headers that do not matter": "GET /a HTTP/1.1\r\nHost: a\r\nAccept: */*\r\nX_y.z!: 1 2  3\r\n\r\n",
    "no space, and many, before a value": "GET /a HTTP/1.1\r\nHost:a\r\nAuthorization:    b   \r\n\r\n",
    "a connection that is kept": "GET /a HTTP/1.1\r\nHost: a\r\nconnection: Keep-Alive\r\n\r\n",
    "a body that is all there": "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}",
    "a body of nothing": "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n",
    "an address with a query": "GET /a?b=c HTTP/1.1\r\nHost: a\r\n\r\n",
    "an empty header": "GET /a HTTP/1.1\r\nHost: a\r\nX-Nothing:\r\n\r\n",
    "a hundred headers": `GET /a HTTP/1.1\r\nHost: a\r\n${"X: y\r\n".repeat(99)}\r\n`,
  };
  for (const [name, text] of Object.entries(plain)) {
    test(`is: ${name}`, () => {
      assert.ok(isWhole(text));
      assert.equal((readPlain(text) as PlainRequest).end, text.length);
    });
  }

  const headed = (headers: string) => `POST /a HTTP/1.1\r\nHost: a\r\n${headers}\r\n\r\n`;
  const other: Record<string, string> = {
    nothing: "",
    "half a line": "GET /a HT",
    "half a head": "GET /a HTTP/1.1\r\nHost: a\r\n",
    "a head but for its last byte": good.slice(0, -1),
    "half a body": "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n{}",
    "an empty line first": `\r\n${good}`,
    "HTTP/1.0": "GET /a HTTP/1.0\r\nHost: a\r\n\r\n",
    "HTTP/2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "no version": "GET /a\r\nHost: a\r\n\r\n",
    "a small-letter method": "get /a HTTP/1.1\r\nHost: a\r\n\r\n",
    "two spaces": "GET  /a HTTP/1.1\r\nHost: a\r\n\r\n",
    "a tab": "GET\t/a HTTP/1.1\r\nHost: a\r\n\r\n",
    "an address in full": "GET http://a/a HTTP/1.1\r\nHost: a\r\n\r\n",
    "an asterisk": "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
    "an authority": "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n",
    "no host": "GET /a HTTP/1.1\r\nAccept: a\r\n\r\n",
    "no header at all": "GET /a HTTP/1.1\r\n\r\n",
    "an empty host": "GET /a HTTP/1.1\r\nHost: \r\n\r\n",
    "two hosts": headed("Host: b"),
    "bare line feeds": good.replaceAll("\r\n", "\n"),
    "one bare line feed": "GET /a HTTP/1.1\r\nHost: a\nX: y\r\n\r\n",
    "a bare carriage return": headed("X: a\rb"),
    "a folded header": headed("X: a\r\n b"),
    "a header that begins with a space": headed(" X: a"),
    "a space before the colon": headed("Content-Length : 0"),
    "no colon": headed("X"),
    "no name": headed(": a"),
    "a NUL": headed("X: a\0b"),
    "a byte beyond ASCII": headed("X: \xe9"),
    "a tab in a value": headed("X: a\tb"),
    "a byte beyond ASCII in the address": "GET /\xe9 HTTP/1.1\r\nHost: a\r\n\r\n",
    chunks: headed("Transfer-Encoding: chunked"),
    "chunks in other letters": headed("tRANSFER-eNCODING: identity"),
    "chunks and a length": headed("Content-Length: 0\r\nTransfer-Encoding: chunked"),
    "two lengths": headed("Content-Length: 0\r\nContent-Length: 0"),
    "two lengths in one": headed("Content-Length: 0, 0"),
    "a length with a sign": headed("Content-Length: +0"),
    "a negative length": headed("Content-Length: -1"),
    "a length that begins with a nought": headed("Content-Length: 00"),
    "a hexadecimal length": headed("Content-Length: 0x0"),
    "an empty length": headed("Content-Length:"),
    "a huge length": headed("Content-Length: 99999999999999999999"),
    "more than a hundred headers": headed(Array(100).fill("X: y").join("\r\n")),
    "two tokens": headed("Authorization: a\r\nAuthorization: a"),
    "two keys": headed("Idempotency-Key: a\r\nidempotency-key: a"),
    "two types": headed("Content-Type: a\r\nContent-Type: a"),
    "two user agents": headed("User-Agent: a\r\nUser-Agent: a"),
    "two forwarders": headed("X-Forwarded-For: a\r\nX-Forwarded-For: a"),
    "a connection to be closed": headed("Connection: close"),
    "a connection that is more than kept": headed("Connection: keep-alive, upgrade"),
    "two connections": headed("Connection: keep-alive\r\nConnection: keep-alive"),
    "a proxy's connection": headed("Proxy-Connection: close"),
    "an upgrade": headed("Upgrade: h2c"),
    "an expectation": headed("Expect: 100-continue"),
  };
  for (const [name, text] of Object.entries(other)) {
    test(`is not: ${name}`, () => {
      assert.equal(isWhole(text), false);
    });
  }

  test("may be completed by later bytes, except if the bytes so far rule it out", () => {
    const whole = "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n";
    for (let cut = 1; cut < whole.length; cut++)
      assert.equal(readPlain(whole.slice(0, cut)), "partial", `${cut}`);
    const others = [
      "nonsense",
      "\x16\x03",
      "GET /a HTTP/1.1\n",
      "GET /a HTTP/1.0\r\n",
      "GET /a HTTP/1.1\r\nX:\ty",
    ];
    for (const text of [...others, "nonsense\r\n\r\n", whole.replace("4", "4x"), whole.replace("Host", "X")])
      assert.equal(readPlain(text), "other", text);
  });

  test("ends where the next one begins", () => {
    const first = "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nIdempotency-Key: k\r\n\r\n";
    const { bodyStart, end, headers } = readPlain(`${first}body${good}`) as PlainRequest;
    assert.deepEqual([bodyStart, end, headers["idempotency-key"]], [first.length, first.length + 4, "k"]);
  });

  test("rejects 10,000 headers with a bad end without scanning them repeatedly", () => {
    const text = `GET /a HTTP/1.1\r\nHost: a\r\n${"X: y  y\r\n".repeat(10_000)}\0\r\n\r\n`;
    const before = process.cpuUsage();
    assert.equal(isWhole(text), false);
    // Processor time, not clock time: a busy machine must not count.
    assert.ok(process.cpuUsage(before).user < 1_000_000);
  });
});
