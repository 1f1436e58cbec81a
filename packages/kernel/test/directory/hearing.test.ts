import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { directoryDecider, directoryLimits, ladderMeant } from "@openseat/kernel";
import { typesOf } from "../decider-stage.ts";
import { millis, withLimits } from "../room-stage.ts";
import { club, DirectoryStage, hear, hours, quiet, quit, sms, takeName, telegram, web } from "./stage.ts";

describe("a message", () => {
  test("[CH1][CH2] is one entry: its effects, and last the reply", () => {
    const stage = new DirectoryStage();
    const { events } = stage.do(hear(telegram("7"), "nick Ann"));
    assert.deepEqual(typesOf(events), ["met", "named", "kept", "answered"]);
    assert.deepEqual(events.at(-1), {
      type: "answered",
      channel: "telegram",
      person: null,
      text: "nick Ann",
      to: "telegram/1",
      reply: "Hello, Ann! Now challenge somebody (throw rock @nick) or join the ladder (register).",
    });
  });

  test("[CH1] is identified by its id alone: delivered again with another text, it is the same", () => {
    const { fingerprint } = directoryDecider.keys;
    assert.equal(
      fingerprint(hear(telegram("7"), "nick Ann")),
      fingerprint(hear(telegram("8", "-1"), "quit", club)),
    );
    assert.notEqual(fingerprint(takeName("ann", "Ann")), fingerprint(takeName("ann", "Bob")));
    assert.notEqual(fingerprint(quit("ann")), fingerprint(quit("bob")), "an operator may ask for either");
  });

  test("[CH1] can be recalled by its id alone; an unknown id changes nothing", () => {
    const { fingerprint } = directoryDecider.keys;
    assert.equal(fingerprint({ type: "recall" }), fingerprint(hear(telegram("7"), "nick Ann")));
    const stage = new DirectoryStage();
    stage.refused({ type: "recall" }, "delivery.not-found");
    assert.equal(stage.directory, undefined);
    stage.named("ann").refused({ type: "recall" }, "delivery.not-found");
  });

  test("[CH2] that is refused gets a reply, and changes nothing else", () => {
    const stage = new DirectoryStage().named("ann", "bob");
    const texts = [
      "throw rock @nobody",
      "throw rock @ann",
      "nick bob",
      "throw",
      "what?",
      "",
      "x".repeat(5_000),
    ];
    for (const text of [...texts, "throw rock @bob rated", "match @nobody 3-1", "match @bob 9999-1"]) {
      const before = JSON.stringify(stage.saved);
      const { events } = stage.do(hear(web("ann"), text, text.startsWith("match") ? club : undefined));
      assert.deepEqual(typesOf(events), ["answered"], text);
      assert.equal(JSON.stringify(stage.saved), before, text);
    }
  });

  test("[CH7] gets its reply where it was written: sent to streams and chats, returned elsewhere", () => {
    const stage = new DirectoryStage();
    const help = (place: ReturnType<typeof web>) => stage.do(hear(place, "help")).effects;
    const text = String(help(web("ann"))[0].body.text);
    assert.match(text, /^Hello! First choose a name/);
    assert.deepEqual(help(web("ann")), [{ to: "conversation/ann", body: { said: "help", text } }]);
    assert.deepEqual(help(telegram("7")), [{ to: "telegram/1", body: { said: "help", text } }]);
    assert.deepEqual(help(telegram("7", "-5")), [{ to: "telegram/2", body: { said: "help", text } }]);
    assert.deepEqual(help(sms("+491")), []);
    assert.deepEqual(help(telegram("8")), [{ to: "telegram/4", body: { said: "help", text } }]);
  });

  test("[CH7] that could not be processed is recorded and gets a reply, without being parsed", () => {
    const stage = new DirectoryStage();
    const { events } = stage.do({ ...hear(telegram("7"), "nick Ann"), isBroken: true });
    assert.deepEqual(typesOf(events), ["met", "answered"]);
    const answered = events.at(-1)!;
    assert.match(answered.type === "answered" ? answered.reply : "", /^Sorry, something went wrong/);
    assert.equal(stage.directory!.people.size, 0);
  });

  test("[CH7] is clipped in the log, at whole characters", () => {
    const stage = new DirectoryStage();
    const kept = (text: string) => {
      const last = stage.do(hear(web("ann"), text)).events.at(-1)!;
      return last.type === "answered" ? last.text : "";
    };
    const max = directoryLimits.textKeptMax;
    assert.equal(kept("x".repeat(100_000)), "x".repeat(max));
    assert.equal(kept(`x${"💥".repeat(max)}`).length, max - 1);
    assert.equal(kept("\ud83d help"), "\ufffd help");
    assert.equal(kept("\u202ehelp\u0000"), "\u202ehelp\u0000");
  });

  test("[LM6][CH7] beyond the limit of conversations, the one due first is forgotten; those of people with a name stay", () => {
    const stage = new DirectoryStage();
    withLimits(directoryLimits, { conversationsMax: 3 }, () => {
      stage.says(telegram("7"), "nick Ann");
      for (const sender of ["8", "9"]) stage.says(telegram(sender), "help");
      stage.now += 2 * 24 * hours;
      stage.says(telegram("8"), "help");
      const { events } = stage.do(hear(telegram("10"), "help"));
      assert.deepEqual(
        events.map((event) => "conversation" in event && [event.type, event.conversation]),
        [["conversation-forgotten", 3], ["met", 4], false],
      );
      assert.deepEqual([...stage.directory!.conversations.keys()], [1, 2, 4]);
      stage.says(telegram("9"), "help");
      assert.deepEqual([...stage.directory!.conversations.keys()], [1, 4, 5]);
    });
  });

  test("[LM6][CH7] only people who could not be answered at all are refused", () => {
    const stage = new DirectoryStage();
    withLimits(directoryLimits, { conversationsMax: 2 }, () => {
      stage.says(telegram("7"), "nick Ann");
      stage.says(telegram("7", "-5"), "help");
      stage.refused(hear(telegram("8"), "help"), "directory.full");
      stage.says(telegram("7"), "help");
      stage.says(telegram("8", "-5"), "help");
      stage.says(web("ann"), "help");
    });
  });
});

describe("messages that are not understood", () => {
  const replies: [RegExp, string[]][] = [
    [/^I found no text in your message\./, ["", " ", "\u0000\u200b", "\u202e"]],
    [/^Your message is too long: I read up to 1000 characters\./, ["x".repeat(1_001), "💥".repeat(9_000)]],
    [
      /^I did not understand that\. Try: /,
      ["hello", "👍", "مرحبا بكم", "\u0007-", "__proto__", "<script>", "/"],
    ],
    [/^Write what you throw and at whom: throw rock @nick\./, ["throw", "throw @bob", "throw lizard @bob"]],
    [/^Write it like this: quit$/, ["quit asking me", "forget it", "quit @me", "quit me now"]],
    [/^Write it like this: undo$/, ["undo that", "undo 2"]],
    [/^Write who played and the score: match @winner @loser 3-1\./, ["match", "match @bob", "match 3-1"]],
  ];

  test("[CH5] get short, friendly help", () => {
    const stage = new DirectoryStage().named("ann");
    for (const [reply, texts] of replies)
      for (const text of texts)
        for (const place of [web("ann"), sms("+491"), telegram("7"), telegram("7", "-5")]) {
          const said = stage.says(place, text, club);
          assert.match(said, reply);
          assert.ok(said.length < 200);
        }
  });

  test("[CH5] an unknown name is repeated in the reply, but clipped", () => {
    const stage = new DirectoryStage().named("ann");
    assert.match(
      stage.says(web("ann"), "throw rock @constructor"),
      /^Nobody here has the nickname constructor\. Have they chosen a nickname\?/,
    );
    const long = stage.says(web("ann"), `throw rock @${"x".repeat(900)}`);
    assert.ok(long.length < 150, long);
    assert.equal(stage.says(web("ann"), "register nowhere"), "There is no ladder called nowhere.");
    assert.ok(stage.says(web("ann"), `register ${"x".repeat(900)}`).length < 150);
  });

  test("[CH5] help lists the commands and the sender's nickname", () => {
    const stage = new DirectoryStage().named("ann");
    const help = stage.says(web("ann"), "help");
    for (const word of [
      "You are ann.",
      "throw",
      "games",
      "register",
      "match",
      "rating",
      "top",
      "history",
      "undo",
    ])
      assert.ok(help.includes(word), word);
    for (const word of ["nick", "quit"]) assert.ok(help.includes(word), word);
  });
});

describe("messages about a ladder", () => {
  test("[CH2] are passed on with everybody's id and name at the time of the first delivery", () => {
    const stage = new DirectoryStage().named("ann", "bob");
    const { events, effects } = stage.do(hear(web("ann"), "match @BOB 3-1", club));
    assert.deepEqual(events, [
      {
        type: "asked",
        channel: "web",
        person: "ann",
        text: "match @BOB 3-1",
        to: "conversation/ann",
        asker: { person: "ann", name: "ann" },
        ladder: "club",
        question: {
          type: "match",
          players: [
            { person: "ann", name: "ann" },
            { person: "bob", name: "bob" },
          ],
          scores: [3, 1],
        },
      },
    ]);
    assert.deepEqual(effects, [], "the ladder sends the reply");
  });

  test("[CH2][CH5] each question", () => {
    const stage = new DirectoryStage().named("ann", "bob", "cid");
    const me = { person: "ann", name: "ann" };
    const bob = { person: "bob", name: "bob" };
    const cid = { person: "cid", name: "cid" };
    const questions: Record<string, object> = {
      register: { type: "register" },
      top: { type: "top" },
      undo: { type: "undo" },
      confirm: { type: "confirm" },
      "confirm @Bob": { type: "confirm", of: bob },
      decline: { type: "decline" },
      rating: { type: "rating", of: me },
      "rating @Bob": { type: "rating", of: bob },
      history: { type: "history", of: me },
      "history cid": { type: "history", of: cid },
      "match @bob me 0-2": { type: "match", players: [bob, me], scores: [0, 2] },
      "match @bob @cid 1000-0": { type: "match", players: [bob, cid], scores: [1000, 0] },
    };
    for (const [text, question] of Object.entries(questions))
      assert.deepEqual(stage.asks(web("ann"), text, club).question, question, text);
  });

  test("[CH5] scores that are too high and unknown names never reach the ladder", () => {
    const stage = new DirectoryStage().named("ann", "bob");
    assert.equal(
      stage.says(web("ann"), "match @bob 1001-0", club),
      "Scores are whole numbers from 0 to 1,000.",
    );
    assert.match(
      stage.says(web("ann"), "match @bob @nobody 1-0", club),
      /^Nobody here has the nickname nobody\./,
    );
    assert.match(stage.says(web("ann"), "match @x1 @nobody 1-0", club), /^Nobody here has the nickname x1\./);
    assert.match(stage.says(web("ann"), "rating @nobody", club), /^Nobody here has the nickname nobody\./);
    assert.match(stage.says(web("ann"), "confirm @nobody", club), /^Nobody here has the nickname nobody\./);
  });

  test("[CH5] are about the named ladder, or the group's, or the sender's latest", () => {
    const stage = new DirectoryStage();
    const meant = (place: ReturnType<typeof web>, text: string) => {
      const { ladder, isNamed } = ladderMeant(stage.directory, { ...place, text });
      return isNamed ? { named: ladder } : ladder;
    };
    assert.equal(meant(telegram("7"), "top"), undefined);
    assert.deepEqual(meant(telegram("7"), "register club"), { named: "club" });
    stage.says(telegram("7"), "nick Ann");
    assert.equal(meant(telegram("7"), "top"), undefined);
    stage.asks(telegram("7"), "register club", club);
    assert.equal(meant(telegram("7"), "top"), "club");
    stage.asks(telegram("7"), "register quiet", quiet);
    assert.equal(meant(telegram("7"), "rating"), "quiet");
    assert.equal(meant(telegram("7"), "throw rock @bob rated"), "quiet");
    assert.equal(
      meant(telegram("7", "-5"), "top"),
      undefined,
      "in a group, the sender's own ladder does not apply",
    );
    stage.asks(telegram("8", "-5"), "top", club);
    assert.equal(meant(telegram("7", "-5"), "top"), "club");
    assert.deepEqual(meant(telegram("7", "-5"), "register other"), { named: "other" });
    assert.equal(meant(web("Ann"), "top"), undefined);
  });

  test("[CH5] are from the sender, as far as they are known", () => {
    const stage = new DirectoryStage();
    const person = (place: ReturnType<typeof web>) =>
      ladderMeant(stage.directory, { ...place, text: "top" }).person;
    assert.equal(person(telegram("7")), undefined);
    assert.equal(person(web("ann")), "ann");
    stage.says(telegram("7", "-5"), "nick Ann");
    assert.equal(person(telegram("7")), "chat_1");
    assert.equal(person(sms("7")), undefined);
  });
});

test("[CH7] notices of a ladder are passed on once, in order, to where people are", () => {
  const stage = new DirectoryStage().named("ann");
  stage.says(telegram("7"), "nick Bob");
  const first = { type: "pass", from: "ladder/club" } as const;
  const notice = (version: number, tell: string, text: string) => ({ version, tell: tell as never, text });
  const both = { ...first, notices: [notice(3, "ann", "three"), notice(5, "chat_1", "five")] };
  assert.deepEqual(stage.do(both).effects, [
    { to: "conversation/ann", body: { text: "three" } },
    { to: "telegram/1", body: { text: "five" } },
  ]);
  stage.refused(both, "delivery.repeated");
  stage.refused({ ...first, notices: [] }, "delivery.repeated");
  const more = {
    ...first,
    notices: [notice(5, "ann", "five"), notice(6, "ann", "six"), notice(9, "ann", "nine")],
  };
  assert.deepEqual(stage.do(more).effects, [{ to: "conversation/ann", body: { text: "six\nnine" } }]);
  // Other ladders are counted separately; unknown people are not notified.
  const other = { ...first, from: "ladder/other", notices: [notice(1, "nobody", "one")] };
  assert.deepEqual(stage.do(other).effects, []);
  stage.refused(other, "delivery.repeated");
  const body = { tell: "ann", text: "hi" };
  assert.deepEqual(directoryDecider.inbox!.receive("ladder/club", [{ version: 4, body }]), {
    ...first,
    notices: [notice(4, "ann", "hi")],
  });
  assert.deepEqual(directoryDecider.decide(undefined, directoryDecider.tick, millis(1)), { events: [] });
});
