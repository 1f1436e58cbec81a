import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  type Directory,
  type DirectoryEvent,
  directoryDecider,
  directoryLimits,
  personCalled,
} from "@openseat/kernel";
import { throughBytes, typesOf } from "../decider-stage.ts";
import { millis, withLimits } from "../room-stage.ts";
import {
  challenge,
  club,
  DirectoryStage,
  hear,
  hours,
  ladder,
  quit,
  replayed,
  sms,
  takeName,
  telegram,
  web,
} from "./stage.ts";

describe("nicknames", () => {
  test("[NM1] belong to one person, in every case and form", () => {
    const stage = new DirectoryStage();
    stage.do(takeName("ann", "Straße"));
    for (const name of ["Straße", "STRASSE", "strasse", "STRAẞE", "stra\u200bße"]) {
      stage.refused(takeName("bob", name), "nickname.taken");
      assert.match(stage.says(telegram("7"), `nick ${name}`), /is taken\. Please choose another/);
      assert.equal(personCalled(stage.directory!, name), "ann");
    }
    assert.equal(stage.directory!.people.size, 1);
  });

  test("[NM1] are shown as typed, and their owner can change the spelling", () => {
    const stage = new DirectoryStage();
    assert.match(stage.says(sms("+491"), "nick e\u0301lan"), /^Hello, élan!/);
    const [change] = stage.do(hear(sms("+491"), "nick ÉLAN")).events;
    assert.deepEqual(change, {
      type: "named",
      person: "chat_1",
      nickname: "ÉLAN",
      fold: "élan",
      was: "élan",
      home: "sms/1",
      account: "sms +491",
    });
    assert.match(stage.says(sms("+491"), "help"), /^You are ÉLAN\./);
    stage.refused(takeName("bob", "Élan"), "nickname.taken");
    assert.equal(stage.says(sms("+491"), "nick ÉLAN"), "Your nickname is already ÉLAN.");
    stage.refused(takeName("ann", ""), "nickname.invalid");
  });

  test("[NM1][LG5] are compared by their stored form, so that another folding breaks no log", () => {
    const stage = new DirectoryStage();
    const named = { type: "named", account: null, was: null } as const;
    const olds = ["ann", "bob"].map((name) => {
      const home = `conversation/${name}`;
      return {
        ...named,
        person: name,
        nickname: "Ann",
        fold: `old ${name}`,
        home,
      } as unknown as DirectoryEvent;
    });
    stage.write(olds);
    const { save, restore } = directoryDecider.snapshots;
    for (const directory of [stage.directory!, replayed(stage)!, restore(save(stage.directory!))])
      assert.deepEqual(
        [...directory.nicknames],
        [
          ["old ann", "ann"],
          ["old bob", "bob"],
        ],
      );
    // The old name is free again.
    stage.do(takeName("ann", "Queen"));
    assert.deepEqual([...stage.directory!.nicknames.keys()], ["old bob", "queen"]);
    stage.do(quit("bob"));
    assert.deepEqual([...stage.directory!.nicknames.keys()], ["queen"]);
    assert.deepEqual(save(replayed(stage)!), stage.saved);
  });

  test("[NM2] an invalid nickname is refused and changes nothing", () => {
    const stage = new DirectoryStage();
    for (const name of ["a", "-_-", "two words", "😀😀", "x".repeat(21), "a.b"]) {
      stage.refused(takeName("ann", name), "nickname.invalid");
      assert.equal(stage.says(web("ann"), `nick ${name}`), "A nickname has 2 to 20 letters, digits, _ or -.");
    }
    assert.match(stage.says(web("ann"), "nick"), /^Write the name you want: nick NAME\./);
    assert.equal(stage.directory!.people.size, 0);
  });

  test("[NM2] of two people who want one nickname, the first gets it", () => {
    const asks = [
      hear(web("ann"), "nick Max"),
      hear(telegram("7"), "nick max"),
      takeName("cid", "MAX"),
    ] as const;
    for (const first of asks) {
      const stage = new DirectoryStage();
      stage.do(first);
      const owner = personCalled(stage.directory!, "max");
      for (const other of asks.filter((each) => each !== first)) {
        const decision = directoryDecider.decide(stage.directory, other, millis(stage.now));
        if ("events" in decision) stage.write(decision.events);
      }
      assert.equal(stage.directory!.people.size, 1);
      assert.equal(personCalled(stage.directory!, "max"), owner);
    }
  });

  test("[NM3] another name frees the old one in the same entry", () => {
    const stage = new DirectoryStage().named("ann");
    const { events } = stage.do(takeName("ann", "queen"));
    assert.equal(events.length, 1);
    assert.equal(stage.directory!.nicknames.size, 1);
    assert.match(stage.says(telegram("7"), "nick Ann"), /^Hello, Ann!/);
    assert.match(stage.says(telegram("8"), "nick Queen"), /is taken/);
    assert.equal(stage.says(web("ann"), "nick king"), "You are king now. queen is free for others.");
    assert.equal(stage.says(web("ann"), "nick King"), "You are King now.");
  });

  test("[NM3] the person's ladders are notified of the new name, each once", () => {
    const stage = new DirectoryStage();
    stage.says(telegram("7"), "nick Ann");
    stage.asks(telegram("7"), "register club", club);
    stage.asks(telegram("7"), "register other", ladder("other"));
    stage.asks(telegram("7"), "register club", club);
    const { effects } = stage.do(hear(telegram("7"), "nick Queen"));
    assert.deepEqual(
      effects.filter(({ to }) => to.startsWith("ladder/")),
      [
        { to: "ladder/other", body: { named: ["chat_1", "Queen"] } },
        { to: "ladder/club", body: { named: ["chat_1", "Queen"] } },
      ],
    );
    // Bob never registered on a ladder, so no ladder is notified.
    stage.named("bob");
    assert.deepEqual(stage.do(takeName("bob", "Robert")).effects, []);
  });

  test("[NM3] only a limited number of ladders is notified: the latest", () => {
    const stage = new DirectoryStage();
    stage.says(telegram("7"), "nick Ann");
    const count = directoryLimits.ladderNamesMax + 3;
    for (let nth = 1; nth <= count; nth++) stage.asks(telegram("7"), `register l${nth}`, ladder(`l${nth}`));
    const { effects } = stage.do(hear(telegram("7"), "nick Queen"));
    const told = effects.flatMap(({ to }) => (to.startsWith("ladder/") ? [to] : []));
    assert.deepEqual(
      told,
      Array.from({ length: directoryLimits.ladderNamesMax }, (_, nth) => `ladder/l${nth + 4}`),
    );
  });

  /** There is room for three: Ann and Bob on the web, and Cid on a channel. */
  function full(run: (stage: DirectoryStage) => void): void {
    const stage = new DirectoryStage().named("ann");
    stage.now += hours;
    stage.named("bob");
    stage.says(telegram("7"), "nick Cid");
    stage.now += hours;
    withLimits(directoryLimits, { peopleMax: 3 }, () => run(stage));
  }
  const names = (stage: DirectoryStage) =>
    Array.from(stage.directory!.people.values(), ({ nickname }) => nickname);

  test("[LM6] at the limit of nicknames, the longest idle person with only a nickname is evicted", () =>
    full((stage) => {
      stage.says(web("ann"), "help");
      const { events, effects } = stage.do(takeName("dan", "dan"));
      assert.deepEqual(
        events.map((event) => "person" in event && [event.type, event.person]),
        [
          ["named", "dan"],
          ["forgotten", "bob"],
        ],
      );
      assert.deepEqual(effects, [], "nobody is notified, and no ladder either");
      assert.deepEqual(names(stage), ["ann", "Cid", "dan"]);
      stage.refused(challenge("ann", "bob"), "nickname.unknown");
      stage.says(telegram("8"), "nick Bob");
      assert.deepEqual(names(stage), ["ann", "Cid", "Bob"], "dan has not come back since the name was taken");
      // People who have a name can still change it.
      stage.do(takeName("ann", "queen"));
    }));

  test("[LM6] a flood of fresh nicknames evicts itself before people who came back", () =>
    full((stage) => {
      for (const name of ["ann", "bob"]) stage.says(web(name), "help");
      stage.now += hours;
      // Ann and Bob have been idle for an hour; the flood is more recent, but is evicted first.
      withLimits(directoryLimits, { peopleMax: 4 }, () => {
        for (let nth = 1; nth <= 20; nth++) stage.do(takeName(`flood${nth}`, `flood${nth}`));
      });
      assert.deepEqual(names(stage), ["ann", "bob", "Cid", "flood20"]);
    }));

  test("[LM6] people who have played are not fresh; of fresh nicknames, the oldest is evicted first", () =>
    full((stage) => {
      withLimits(directoryLimits, { peopleMax: 5 }, () => {
        stage.do(takeName("zoe", "zoe"));
        stage.do(challenge("zoe", "bob", "rock"));
        stage.do(challenge("bob", "zoe", "paper"));
        for (let nth = 1; nth <= 20; nth++) {
          stage.now++;
          stage.do(takeName(`a${20 - nth}`, `flood${nth}`));
        }
        assert.deepEqual(names(stage), ["bob", "Cid", "zoe", "flood19", "flood20"]);
      });
    }));

  test("[LM6] a network with more than its share loses people first, whatever they do", () =>
    full((stage) => {
      withLimits(directoryLimits, { peopleMax: 8, peopleOfNetworkMax: 2 }, () => {
        for (let nth = 0; nth < 20; nth++) {
          stage.now++;
          stage.do({ ...takeName(`f${nth}`, `flood${nth}`), network: "attacker" } as never);
          stage.do(challenge(`f${nth}`, "Cid"));
        }
        stage.now++;
        stage.do({ ...hear(web("zoe"), "nick zoe"), network: "home" });
        assert.deepEqual(names(stage).slice(0, 3), ["ann", "bob", "Cid"]);
        const saved = throughBytes(directoryDecider.snapshots.save(stage.directory!));
        stage.directory = directoryDecider.snapshots.restore(saved);
        stage.do(takeName("yan", "yan"));
        assert.ok(names(stage).includes("zoe") && names(stage).includes("ann"));
      });
    }));

  test("[LM6] then people on ladders are evicted, then those with open duels, which are cancelled; accounts stay", () =>
    full((stage) => {
      stage.asks(web("ann"), "register", club);
      stage.do(challenge("bob", "Cid"));
      const { effects } = stage.do(takeName("dan", "dan"));
      assert.deepEqual(effects, [{ to: "ladder/club", body: { gone: "ann" } }]);
      assert.deepEqual(names(stage), ["bob", "Cid", "dan"]);
      stage.do(challenge("dan", "Cid"));
      stage.now += hours;
      stage.says(web("dan"), "help");
      const { events } = stage.do(takeName("eve", "eve"));
      assert.deepEqual(typesOf(events), ["named", "duel-dropped", "forgotten"]);
      assert.deepEqual(names(stage), ["Cid", "dan", "eve"]);
      withLimits(directoryLimits, { peopleMax: 1 }, () => {
        for (const name of ["dan", "eve"]) stage.do(quit(name));
        stage.refused(takeName("fay", "fay"), "directory.full");
        assert.match(stage.says(telegram("8"), "nick Max"), /^There is no room for more people right now\./);
      });
    }));

  test("[LM6][LG5] who is evicted is the same after a restart, from a snapshot and from the log", () =>
    full((stage) => {
      stage.says(web("ann"), "help");
      const saved = throughBytes(directoryDecider.snapshots.save(stage.directory!));
      const evictedBy = (directory: Directory | undefined) => {
        const decision = directoryDecider.decide(directory, takeName("dan", "dan"), millis(stage.now));
        return "events" in decision && decision.events[1];
      };
      const expected = evictedBy(stage.directory);
      assert.ok(expected && expected.type === "forgotten" && expected.person === "bob");
      assert.deepEqual(evictedBy(directoryDecider.snapshots.restore(saved)), expected);
      assert.deepEqual(evictedBy(replayed(stage)), expected);
      // Older snapshots do not say who is idle, so they are rejected and the log is replayed.
      assert.throws(
        () => directoryDecider.snapshots.restore({ ...saved, head: { ...saved.head, shape: 1 } }),
        /shape/,
      );
    }));
});

describe("people of channels", () => {
  test("[CH6] have an id with a number of the directory, never their address", () => {
    const stage = new DirectoryStage();
    const [met, named, kept, answered] = stage.do(hear(sms("+4915112345"), "nick Ann")).events;
    assert.deepEqual(met, {
      type: "met",
      conversation: 1,
      channel: "sms",
      place: "+4915112345",
      title: null,
      forgetAt: stage.now + directoryLimits.namelessMsMax,
    });
    assert.equal(named.type === "named" && named.person, "chat_1");
    assert.deepEqual(kept, { type: "kept", conversation: 1, forgetAt: null });
    assert.equal(answered.type === "answered" && answered.to, null);
    stage.named("bob");
    stage.says(web("bob"), "throw rock @Ann");
    stage.says(sms("+4915112345"), "throw paper @bob");
    for (const effect of stage.sent) assert.doesNotMatch(JSON.stringify(effect), /15112345/);
  });

  test("[CH5] a person who quits and comes back is a new person", () => {
    const stage = new DirectoryStage();
    stage.says(telegram("7"), "nick Ann");
    stage.says(telegram("7"), "quit");
    assert.match(stage.says(telegram("7"), "nick Ann"), /^Hello, Ann!/);
    assert.equal(personCalled(stage.directory!, "ann"), "chat_2");
    stage.says(telegram("8"), "nick Bob");
    assert.equal(personCalled(stage.directory!, "bob"), "chat_3");
  });

  test("[CH5] one person on two channels counts as two people", () => {
    const stage = new DirectoryStage();
    stage.says(telegram("7"), "nick Ann");
    assert.match(stage.says(sms("7"), "nick Ann"), /is taken/);
    stage.says(sms("7"), "nick Ann2");
    assert.deepEqual([...stage.directory!.people.keys()], ["chat_1", "chat_2"]);
  });
});

describe("a person without a nickname", () => {
  test("[CH5] can ask read-only questions and for help, and is otherwise asked for a nickname", () => {
    const stage = new DirectoryStage().named("bob");
    for (const place of [web("ann"), sms("+491"), telegram("7")]) {
      assert.match(stage.says(place, "help"), /^Hello! First choose a name: nick NAME/);
      for (const text of [
        ...["games", "throw rock @bob", "decline @bob", "register"],
        ...["match @bob 3-1", "rating", "undo"],
      ])
        assert.match(
          stage.says(place, text, club),
          /^You need a nickname first, so that others can find you\. Write: nick NAME$/,
          text,
        );
      assert.equal(stage.asks(place, "top", club).asker, null);
      assert.deepEqual(stage.asks(place, "rating @bob", club).question, {
        type: "rating",
        of: { person: "bob", name: "bob" },
      });
      assert.match(stage.says(place, "history @nobody", club), /^Nobody here has the nickname nobody\./);
    }
    stage.refused(quit("ann"), "nickname.missing");
    stage.refused(quit("nobody"), "nickname.missing");
  });
});
