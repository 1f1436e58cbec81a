import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createRemoteJWKSet, importJWK, jwtVerify, SignJWT } from "jose";
import { ChildServer } from "../support/child-server.ts";
import { tempFolder } from "../support/folder.ts";
import { type Json, until } from "../support/http.ts";
import { isOnPostgres, secretsOf } from "../support/store.ts";

/** The signing key, as stored. */
async function signingKey(folder: string): Promise<Json> {
  const { keys } = await secretsOf(folder, "signing-keys");
  return keys.find((key: Json) => key.retiredAt === undefined);
}

async function publishedKids(url: string): Promise<string[]> {
  const { keys } = (await (await fetch(`${url}/.well-known/jwks.json`)).json()) as Json;
  return keys.map(({ kid }: Json) => kid);
}

describe("the keys of a real server", () => {
  const folder = tempFolder();
  const data = join(folder.path, "data");
  let server: ChildServer;
  before(async () => {
    server = await ChildServer.start(["--data", data, "--log-level", "trace"]);
  });
  after(async () => {
    await server.kill();
    folder.remove();
  });

  test("[AD9] are published and cacheable, without their private parts", async () => {
    const response = await fetch(`${server.url}/.well-known/jwks.json`);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("cache-control"), "public, max-age=300");
    assert.match(response.headers.get("content-type") ?? "", /^application\/json/);
    const { kid, jwk } = await signingKey(data);
    const { d, ...publicPart } = jwk;
    const text = await response.text();
    assert.deepEqual(JSON.parse(text), { keys: [{ ...publicPart, kid, alg: "EdDSA", use: "sig" }] });
    assert.ok(!text.includes(d));
    if (!isOnPostgres) assert.equal(statSync(join(data, "signing-keys.json")).mode & 0o777, 0o600);
  });

  test("[AD6] --rotate-keys beside a running server: it publishes the new key, and old tokens stay valid", async () => {
    const old = await signingKey(data);
    const token = await new SignJWT({ use: "session" })
      .setProtectedHeader({ alg: "EdDSA", kid: old.kid })
      .setExpirationTime("1h")
      .sign(await importJWK(old.jwk, "EdDSA"));
    const { code, stdout, stderr } = await ChildServer.run(["--rotate-keys", "--data", data]);
    assert.equal(code, 0, stderr);
    const { kid } = await signingKey(data);
    assert.notEqual(kid, old.kid);
    assert.equal(stdout, `Admission tokens are now signed with the new key ${kid}.\n`);
    const kids = await until("the new key", async () => {
      const published = await publishedKids(server.url);
      return published.length > 1 && published;
    });
    assert.deepEqual(kids, [kid, old.kid]);
    await jwtVerify(token, createRemoteJWKSet(new URL(`${server.url}/.well-known/jwks.json`)));
    const said = server.stdout + server.stderr + stdout + stderr;
    for (const secret of [old.jwk.d, (await signingKey(data)).jwk.d]) assert.ok(!said.includes(secret));
  });
});
