import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { loadConfig } from "../../src/config/load-config.ts";
import { unknownVariables } from "../../src/config/unknown-variables.ts";
import { ChildServer } from "../support/child-server.ts";
import { tempFolder } from "../support/folder.ts";
import type { Json } from "../support/http.ts";

/** The variables that Kubernetes sets in every pod for services named `openseat` and `openseat-operator`. */
const serviceLinks = {
  OPENSEAT_SERVICE_HOST: "10.0.0.1",
  OPENSEAT_SERVICE_PORT: "8080",
  OPENSEAT_SERVICE_PORT_HTTP: "8080",
  OPENSEAT_PORT: "tcp://10.0.0.1:8080",
  OPENSEAT_PORT_8080_TCP: "tcp://10.0.0.1:8080",
  OPENSEAT_PORT_8080_TCP_PROTO: "tcp",
  OPENSEAT_PORT_8080_TCP_PORT: "8080",
  OPENSEAT_PORT_8080_TCP_ADDR: "10.0.0.1",
  OPENSEAT_OPERATOR_PORT: "tcp://10.0.0.2:8081",
  OPENSEAT_OPERATOR_SERVICE_HOST: "10.0.0.2",
};

/** The warnings in the server's log. */
function warningsOf({ stdout }: ChildServer): Json[] {
  const lines = stdout.split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line)).filter(({ level }) => level >= 40);
}

suite("variables that are not settings", () => {
  test("[OP1] Kubernetes' variables are ignored silently, even with --strict, including OPENSEAT_OPERATOR_PORT", () => {
    const config = loadConfig(["--strict"], serviceLinks);
    assert.deepEqual([config.port, config.operatorPort], [8080, undefined]);
    assert.deepEqual(unknownVariables(serviceLinks), []);
    assert.equal(loadConfig([], { OPENSEAT_OPERATOR_PORT: "8081" }).operatorPort, 8081);
    assert.throws(() => loadConfig([], { OPENSEAT_OPERATOR_PORT: "http://a" }), /must be a whole number/);
  });

  test("[OP1] each is named with the most similar setting", () => {
    for (const [name, sentence] of [
      ["OPENSEAT_LIVE_MAXIMUM", "Did you mean OPENSEAT_LIVE_MAX?"],
      ["OPENSEAT_LOGLEVEL", "Did you mean OPENSEAT_LOG_LEVEL?"],
      ["OPENSEAT_PORT", "Did you mean PORT?"],
      ["OPENSEAT_DATABASE_URL", "Did you mean DATABASE_URL?"],
      ["OPENSEAT_COLOUR_OF_THE_CHAIRS", "--help shows all settings."],
      ["OPENSEAT_", "--help shows all settings."],
    ]) {
      const message = `${name} is not a setting. ${sentence}`;
      assert.deepEqual(unknownVariables({ [name]: "1", PATH: "/bin", PORT: "1" }), [message]);
      assert.throws(() => loadConfig(["--strict"], { [name]: "1" }), { message });
    }
  });

  test("[OP1] a server starts with one warning that names those that Kubernetes has not set", async () => {
    const folder = tempFolder();
    const misspelt = { OPENSEAT_LOGLEVEL: "debug", OPENSEAT_LIVE_MAXIMUM: "5" };
    const server = await ChildServer.start(["--data", folder.path], { ...serviceLinks, ...misspelt });
    assert.equal((await server.client().get("/healthz")).status, 200);
    assert.equal((await server.signal("SIGTERM")).code, 0);
    const [warning, ...others] = warningsOf(server);
    assert.deepEqual(others, []);
    assert.equal(
      warning.msg,
      "ignored variables: OPENSEAT_LOGLEVEL is not a setting. Did you mean OPENSEAT_LOG_LEVEL? OPENSEAT_LIVE_MAXIMUM is not a setting. Did you mean OPENSEAT_LIVE_MAX?",
    );
    folder.remove();
  });
});
