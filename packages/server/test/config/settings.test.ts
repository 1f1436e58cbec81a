import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import { generalHelp } from "../../src/cli/help.ts";
import { ConfigError, loadConfig } from "../../src/config/load-config.ts";
import { flagOf, type SettingName, settings } from "../../src/config/settings.ts";
import { ChildServer } from "../support/child-server.ts";
import { tempFolder } from "../support/server.ts";

const folder = tempFolder();
let files = 0;

/** A configuration file with this content. */
function fileOf(content: unknown): string {
  const path = join(folder.path, `${files++}.json`);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

function problemsOf(args: readonly string[], environment: Record<string, string> = {}): readonly string[] {
  try {
    loadConfig(args, environment);
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.problems;
  }
  return [];
}

const secret = "a secret that nobody may see in an error: 0123456789";

/** The public URL that webhooks need. */
const reached = ["--public-url", "https://a.test"];

/** For each setting two different valid values and one invalid one. */
const samples: Record<
  SettingName,
  { values: [unknown, unknown, unknown]; wrong: string; beside?: string[] }
> = {
  strict: { values: [true, false, true], wrong: "maybe" },
  port: { values: [1001, 1002, 1003], wrong: "65536" },
  operatorPort: { values: [1101, 1102, 1103], wrong: "65536" },
  operatorHost: { values: ["127.0.0.1", "0.0.0.0", "::1"], wrong: "" },
  host: { values: ["a", "b", "c"], wrong: "" },
  publicUrl: {
    values: ["https://wait.test", "http://localhost:8080", "https://a.test/seats"],
    wrong: "https://a.test/",
  },
  allowedOrigins: {
    values: ["*", "https://a.test", "https://a.test, http://localhost:3000,capacitor://localhost"],
    wrong: "https://a.test/path",
  },
  data: { values: ["a", "b", "c"], wrong: "" },
  acceptLostChanges: { values: [true, false, true], wrong: "maybe" },
  databaseUrl: {
    values: ["postgres://a.test/x", "postgresql://ann:w%23rd@b.test:5433/x?sslmode=require", "postgres:///x"],
    wrong: "mysql://ann:not-for-anyones-eyes@a.test/x",
  },
  storeTimeoutMs: { values: [1_000, 2_000, 3_000], wrong: "999" },
  demo: { values: [false, true, false], wrong: "maybe" },
  logLevel: { values: ["warn", "error", "debug"], wrong: "loud" },
  operatorKey: { values: ["operator-key-aaaa", "operator-key-bbbb", "operator-key-cccc"], wrong: "short" },
  serviceKey: {
    values: ["service-key-aaaaa", "service-key-bbbbb", "service-key-ccccc"],
    wrong: "with a space in it",
  },
  issuer: { values: ["a", "b", "c"], wrong: "", beside: ["--issuer-secret", secret] },
  issuerSecret: {
    values: [`${secret}a`, `${secret}b`, `${secret}c`],
    wrong: "short",
    beside: ["--issuer", "i"],
  },
  issuerJwksUrl: {
    values: ["https://a.test/keys", "http://b.test/keys", "https://c.test/keys"],
    wrong: "ftp://a.test/keys",
    beside: ["--issuer", "i"],
  },
  audience: { values: ["a", "b", "c"], wrong: "" },
  guests: { values: [false, true, false], wrong: "some" },
  createRooms: {
    values: [
      "games=person,arenas=service,ladders=operator",
      "ladders=operator",
      "games=service, arenas=person",
    ],
    wrong: "games=guest",
  },
  chatLadder: { values: ["a", "house", "c-1"], wrong: "two words" },
  telegramToken: {
    values: ["1:aaaaaaaaaa", "2:bbbbbbbbbb", "3:cccccccccc"],
    wrong: "not-a-token-that-anyone-may-see",
  },
  telegramWebhook: {
    values: [true, false, true],
    wrong: "sometimes",
    beside: ["--telegram-token", "1:aaaaaaaaaa", "--public-url", "https://a.test"],
  },
  telegramApi: {
    values: ["https://a.test", "http://localhost:8081", "https://b.test/bots"],
    wrong: "https://a.test/",
  },
  twilioAccountSid: {
    values: [`AC${"a".repeat(32)}`, `AC${"b".repeat(32)}`, `AC${"c".repeat(32)}`],
    wrong: "AC-short",
    beside: ["--twilio-auth-token", "12345678", "--sms-from", "+15005550006", ...reached],
  },
  twilioAuthToken: {
    values: ["aaaaaaaa", "bbbbbbbb", "cccccccc"],
    wrong: "a b c d e f g h",
    beside: ["--twilio-account-sid", `AC${"a".repeat(32)}`, "--sms-from", "+15005550006", ...reached],
  },
  smsFrom: {
    values: ["+15005550006", "+447700900102", "+33612345678"],
    wrong: "15005550006",
    beside: ["--twilio-account-sid", `AC${"a".repeat(32)}`, "--twilio-auth-token", "12345678", ...reached],
  },
  smsPerHourMax: { values: [1, 2, 3], wrong: "0" },
  twilioApi: {
    values: ["https://a.test", "http://localhost:8082", "https://b.test/sms"],
    wrong: "ftp://a.test",
  },
  trustProxy: { values: ["true", "2", "10.0.0.0/8, ::1"], wrong: "perhaps" },
  ipv6PrefixBits: { values: [48, 56, 128], wrong: "31" },
  exemptAddresses: { values: ["10.0.0.0/8", "::1", "192.0.2.1, 192.0.2.2"], wrong: "10.0.0.0/33" },
  writesPerPersonMax: { values: [1, 2, 3], wrong: "-1" },
  writesPerAddressMax: { values: [1, 2, 3], wrong: "-1" },
  roomsPerPersonMax: { values: [1, 2, 3], wrong: "-1" },
  fastPath: { values: [true, false, true], wrong: "maybe" },
  bodyBytesMax: { values: [2048, 4096, 8192], wrong: "1023" },
  connectionsMax: { values: [1, 2, 3], wrong: "0" },
  connectionsPerAddressMax: { values: [1, 2, 3], wrong: "0" },
  liveMax: { values: [1, 2, 3], wrong: "-1" },
  livePerAddressMax: { values: [1, 2, 3], wrong: "1.5" },
  liveMessagesPerSecond: { values: [1, 2, 3], wrong: "0" },
  guestsPerAddressMax: { values: [1, 2, 3], wrong: "1000001" },
  entersPerAddressMax: { values: [1, 2, 3], wrong: "-1" },
  visitorsPerAddressMax: { values: [1, 2, 3], wrong: "-1" },
  overloadDelayMs: { values: [50, 100, 150], wrong: "49" },
  residentRoomsMax: { values: [1, 2, 3], wrong: "many" },
  idleSeconds: { values: [1, 2, 3], wrong: "0x10" },
};
const names = Object.keys(settings) as SettingName[];

function asFlag(name: SettingName, value: unknown): string[] {
  if (settings[name].kind !== "switch") return [`--${flagOf(name)}=${String(value)}`];
  return [value ? `--${flagOf(name)}` : `--no-${flagOf(name)}`];
}

suite("settings", () => {
  after(() => folder.remove());

  for (const name of names) {
    test(`${name}: flags win over variables, variables over the file, the file over the default`, () => {
      const { values, beside = [] } = samples[name];
      const [byFlag, byVariable, byFile] = values;
      const config = ["--config", fileOf({ [name]: byFile }), ...beside];
      const environment = { [settings[name].variable]: String(byVariable) };
      assert.equal(loadConfig([...config, ...asFlag(name, byFlag)], environment)[name], byFlag);
      assert.equal(loadConfig(config, environment)[name], byVariable);
      assert.equal(loadConfig(config, {})[name], byFile);
      if (beside.length === 0) {
        const fallback = (settings[name] as { default?: unknown }).default;
        assert.equal(loadConfig([], {})[name], fallback);
        assert.equal(loadConfig([], { [settings[name].variable]: "" })[name], fallback, "an empty variable");
      }
    });

    test(`${name}: an invalid value gives a sentence that names its source`, () => {
      const { wrong, beside = [] } = samples[name];
      const file = fileOf({ [name]: wrong });
      const sources: [string[], Record<string, string>, string][] = [
        [[...beside, "--config", file], {}, `"${name}" in ${file}`],
      ];
      if (wrong !== "") sources.push([beside, { [settings[name].variable]: wrong }, settings[name].variable]);
      if (settings[name].kind !== "switch")
        sources.push([[...beside, `--${flagOf(name)}=${wrong}`], {}, `--${flagOf(name)}`]);
      for (const [args, environment, where] of sources) {
        const problem = problemsOf(args, environment).find((it) => it.startsWith(`${where} must be `));
        assert.ok(problem, `${where}: ${problemsOf(args, environment).join(" | ")}`);
        if ("secret" in settings[name]) assert.ok(!problem.includes(wrong), problem);
        else assert.ok(problem.includes(JSON.stringify(wrong)), problem);
      }
    });
  }

  test("all problems are reported at once, one sentence each", () => {
    const problems = problemsOf(["--port", "x", "--live-max", "y"], { OPENSEAT_LOG_LEVEL: "z" });
    assert.equal(problems.length, 3);
    for (const problem of problems) assert.match(problem, /^\S.* must be .*\.$/);
  });

  const account = ["--twilio-account-sid", `AC${"a".repeat(32)}`, "--twilio-auth-token", "12345678"];
  const keyed = ["--issuer-secret", secret];
  const contradictory: [string[], RegExp][] = [
    [
      ["--issuer", "i", ...keyed, "--issuer-jwks-url", "https://a.test"],
      /OPENSEAT_ISSUER_SECRET or OPENSEAT_ISSUER_JWKS_URL, not both/,
    ],
    [keyed, /OPENSEAT_ISSUER must name the issuer/],
    [["--issuer-jwks-url", "https://a.test"], /OPENSEAT_ISSUER must name the issuer/],
    [["--issuer", "i"], /needs OPENSEAT_ISSUER_SECRET or OPENSEAT_ISSUER_JWKS_URL/],
    [[...reached, "--issuer", "https://a.test", ...keyed], /OPENSEAT_ISSUER cannot be OPENSEAT_PUBLIC_URL/],
    [["--port", "9000", "--operator-port", "9000"], /OPENSEAT_OPERATOR_PORT cannot be PORT/],
    [["--demo", "--no-guests"], /OPENSEAT_DEMO needs guests/],
    [["--issuer", "openseat", ...keyed], /cannot be openseat/],
    [["--telegram-webhook", ...reached], /OPENSEAT_TELEGRAM_WEBHOOK needs OPENSEAT_TELEGRAM_TOKEN/],
    [
      ["--telegram-webhook", "--telegram-token", "1:aaaaaaaaaa"],
      /OPENSEAT_TELEGRAM_WEBHOOK needs OPENSEAT_PUBLIC_URL/,
    ],
    [
      [...account, ...reached],
      /need all of OPENSEAT_TWILIO_ACCOUNT_SID, OPENSEAT_TWILIO_AUTH_TOKEN and OPENSEAT_SMS_FROM/,
    ],
    [[...account, "--sms-from", "+15005550006"], /Text messages need OPENSEAT_PUBLIC_URL/],
    [["--operator-key", "the-same-key-for-both", "--service-key", "the-same-key-for-both"], /must differ/],
  ];
  test("contradicting settings give a sentence each", () => {
    for (const [args, sentence] of contradictory) {
      const problems = problemsOf(args);
      assert.equal(problems.length, 1, args.join(" "));
      assert.match(problems[0], sentence);
      assert.ok(!problems[0].includes(secret));
    }
  });

  const wrongStarts: [string, string[], Record<string, string>, RegExp][] = [
    ["an unknown flag", ["--seats", "4"], {}, /Unknown option '--seats'\. --help shows all settings\./],
    [
      "an unknown command",
      ["constructor"],
      {},
      /There is no command "constructor"\. npx openseat --help lists all commands\./,
    ],
    ["a word too many", ["start", "now"], {}, /Unexpected argument 'now'.*--help/],
    ["a flag without its value", ["--port"], {}, /--port.*--help/],
    [
      "[OP1] with --strict, an unknown variable",
      ["--strict"],
      { OPENSEAT_LIVE_MAXIMUM: "5" },
      /OPENSEAT_LIVE_MAXIMUM is not a setting\. Did you mean OPENSEAT_LIVE_MAX\?/,
    ],
    ["a contradiction", ["--issuer", "i"], {}, /OPENSEAT_ISSUER needs/],
  ];
  for (const [name, args, environment, sentence] of wrongStarts) {
    test(`${name} ends the real process with code 2 and a sentence`, async () => {
      const ended = await ChildServer.run([...args, "--data", join(folder.path, "never")], environment);
      assert.equal(ended.code, 2, ended.stderr);
      assert.match(ended.stderr, sentence);
      assert.doesNotMatch(ended.stderr, /\n\s+at /, "a sentence, not a stack");
      assert.equal(ended.stdout, "");
    });
  }

  test("an unusable configuration file gives a sentence", () => {
    for (const [path, sentence] of [
      [fileOf({ prot: 1 }), /"prot" in .* is not a setting/],
      [fileOf("{"), /configuration file .* cannot be read/],
      [fileOf([]), /must hold one JSON object/],
      ["/nowhere/at/all.json", /\/nowhere\/at\/all\.json cannot be read/],
    ] as const)
      assert.match(problemsOf(["--config", path]).join(), sentence);
  });

  test("[AU4] an invalid database URL is refused without showing its password", () => {
    for (const part of [
      "ann:no%t-shown@a.test/x",
      "ann:12#shown@a.test/x",
      "ann:not shown@a.test/x",
      "ann:not-shown@a.test:65536/x",
      "ann:not-shown@one.test,/x",
      "ann:not-shown@one.test,two.test/x?host=/run/postgresql",
      "ann:not-shown@/x?port=5432,5433",
      "ann:not-shown@one.test,two.test/x?target_session_attrs=standby",
      "",
    ]) {
      const [problem, ...more] = problemsOf([], { DATABASE_URL: `postgres://${part}` });
      assert.match(
        String(problem),
        /^DATABASE_URL must be an address such as .*, not what was given\.$/,
        part,
      );
      assert.doesNotMatch(problem, /shown|ann:/);
      assert.deepEqual(more, []);
    }
    for (const part of [
      "a.test/x",
      "ann@/x",
      "ann:a%25b@%2Frun%2Fpostgresql/x",
      "/x?host=/run/postgresql",
      "[::1]/x",
      "ann:1,2@one.test/x",
      "ann@one.test,two.test:5433,[::1]:5434/x?target_session_attrs=read-write",
      "ann@%2Frun%2Fa,%2Frun%2Fb/x",
      "one.test,two.test/x?target_session_attrs=any",
      "one.test/x?target_session_attrs=primary",
    ])
      assert.deepEqual(problemsOf([], { DATABASE_URL: `postgres://${part}` }), [], part);
  });

  test("[AU4] a configuration file that is not JSON is refused without showing what is in it", () => {
    for (const value of [`"${secret}" oops`, "unquoted-key-0123456789"]) {
      const [problem] = problemsOf(["--config", fileOf(`{ "operatorKey": ${value} }`)]);
      for (const part of ["a secret", "nobody", "0123456", "unquoted"])
        assert.ok(!problem.includes(part), problem);
    }
  });

  test("--help lists every setting with its flag, its variable and what it is for, with code 0", async () => {
    const { code, stdout } = await ChildServer.run(["--help"]);
    assert.equal(code, 0);
    assert.equal(stdout, generalHelp());
    const lines = stdout.split("\n");
    for (const name of names) {
      const line = lines.find((it) => it.trimStart().startsWith(`--${flagOf(name)} `));
      assert.ok(line, name);
      assert.ok(line.includes(` ${settings[name].variable} `), line);
      assert.ok(line.includes(settings[name].help), line);
    }
    for (const word of ["--config", "start", "keys", "rotate-keys", "copy"])
      assert.ok(
        lines.some((it) => it.startsWith(`  ${word} `)),
        word,
      );
  });
});
