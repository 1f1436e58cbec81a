import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  type DirectoryEvent,
  directoryDecider,
  directoryLimits,
  type Hand,
  ladderDecider,
  ladderMeant,
} from "@openseat/kernel";
import { typesOf } from "../decider-stage.ts";
import {
  challenge,
  club,
  DirectoryStage,
  drop,
  hear,
  ladder,
  quiet,
  takeName,
  textsTo,
  throwIn,
  web,
} from "../directory/stage.ts";

const hands: readonly Hand[] = ["rock", "paper", "scissors"];
/** Which hand beats which, written out. */
const winners = { rock: "scissors", paper: "rock", scissors: "paper" } as const;
const won = (own: Hand, other: Hand) => winners[own] === other;

const throwing = (name: string, hand: Hand, at: string, isRated = false) =>
  hear(web(name), `throw ${hand} @${at}${isRated ? " rated" : ""}`, isRated ? club : undefined);

/** The only event of this type. */
function only<Type extends DirectoryEvent["type"]>(events: readonly DirectoryEvent[], type: Type) {
  const found = events.filter((event) => event.type === type);
  assert.equal(found.length, 1, `${found.length} of ${type}`);
  return found[0] as Extract<DirectoryEvent, { type: Type }>;
}

describe("a duel", () => {
  test("[CH4] is opened by a throw, and the challenged person is notified", () => {
    const stage = new DirectoryStage().named("ann", "bob");
    const { events, effects } = stage.do(throwing("ann", "rock", "bob"));
    assert.deepEqual(typesOf(events), ["duel-opened", "thrown", "answered"]);
    assert.deepEqual(textsTo(effects, "conversation/ann"), ["You threw. It is secret until bob throws too."]);
    assert.deepEqual(textsTo(effects, "conversation/bob"), [
      "ann challenges you to rock, paper, scissors! Answer with: throw rock @ann (or paper, or scissors).",
    ]);
  });

  test("[CH4] ends with the second throw, in one entry, and both get the same result", () => {
    for (const first of hands)
      for (const second of hands) {
        const stage = new DirectoryStage().named("ann", "bob");
        stage.do(throwing("ann", first, "bob"));
        const { events, effects } = stage.do(throwing("bob", second, "ann"));
        const ended = only(events, "duel-ended");
        const winner = won(first, second) ? 0 : won(second, first) ? 1 : null;
        assert.deepEqual([ended.hands, ended.winner, ended.by], [[first, second], winner, 1]);
        const [toAnn] = textsTo(effects, "conversation/ann");
        const [toBob] = textsTo(effects, "conversation/bob");
        const end = (own: 0 | 1, other: string) =>
          winner === null ? "a draw." : winner === own ? "you win!" : `${other} wins.`;
        assert.equal(toAnn, `You threw ${first}, bob threw ${second}: ${end(0, "bob")}`);
        assert.equal(toBob, `You threw ${second}, ann threw ${first}: ${end(1, "ann")}`);
        assert.equal(stage.directory!.duels.openCount, 0);
      }
  });

  test("[CH4] between two people who challenge each other at the same instant is one duel with one result", () => {
    for (const ann of hands)
      for (const bob of hands)
        for (const [annRated, bobRated] of [
          [false, false],
          [true, false],
          [false, true],
          [true, true],
        ] as const) {
          const results = [false, true].map((isTurned) => {
            const stage = new DirectoryStage().named("ann", "bob");
            const throws = [throwing("ann", ann, "bob", annRated), throwing("bob", bob, "ann", bobRated)];
            const events = (isTurned ? throws.reverse() : throws).flatMap((each) => stage.do(each).events);
            only(events, "duel-opened");
            const { players, hands: both, winner, ladder: on } = only(events, "duel-ended");
            const thrown = Object.fromEntries(players.map((name, seat) => [name, both[seat]]));
            return {
              thrown: [thrown.ann, thrown.bob],
              winner: winner === null ? null : players[winner],
              ladder: on,
            };
          });
          assert.deepEqual(results[0], results[1]);
          assert.deepEqual(results[0].thrown, [ann, bob]);
          assert.equal(results[0].ladder, annRated && bobRated ? "club" : null);
        }
  });

  test("[CH4] is limited to one per pair, but a person can have many with others", () => {
    const stage = new DirectoryStage().named("ann", "bob", "cid");
    stage.do(throwing("ann", "rock", "bob"));
    stage.do(throwing("ann", "paper", "cid"));
    stage.do(throwing("cid", "rock", "bob"));
    assert.equal(stage.directory!.duels.openCount, 3);
    assert.equal(
      stage.says(web("ann"), "throw paper @bob"),
      "You have already thrown. Wait for bob to throw.",
    );
    stage.refused(challenge("ann", "bob"), "duel.exists");
    stage.refused(challenge("bob", "ann"), "duel.exists");
    stage.refused(challenge("ann", "bob", "rock"), "duel.thrown");
    stage.do(throwing("bob", "paper", "ann"));
    assert.equal(stage.directory!.duels.openCount, 2);
    // The next throw answers the next duel.
    stage.do(throwing("bob", "paper", "ann"));
    assert.equal(stage.directory!.duels.openCount, 3);
  });

  test("[CH4] is refused with oneself and with unknown people", () => {
    const stage = new DirectoryStage().named("ann", "bob");
    stage.refused(challenge("ann", "Ann", "rock"), "duel.self");
    stage.refused(challenge("ann", "nobody", "rock"), "nickname.unknown");
    stage.refused(challenge("nobody", "ann", "rock"), "nickname.missing");
    assert.match(stage.says(web("ann"), "throw rock @ANN"), /^You cannot challenge yourself\. Please choose/);
    assert.match(stage.says(web("ann"), "throw rock @nobody"), /^Nobody here has the nickname nobody\./);
    assert.equal(stage.directory!.duels.openCount, 0);
  });

  test("[CH4] may be thrown in without a name when only one person waits", () => {
    const stage = new DirectoryStage().named("ann", "bob", "cid");
    assert.equal(stage.says(web("ann"), "rock"), "Who do you want to challenge? Write: throw rock @nick");
    stage.do(throwing("bob", "rock", "ann"));
    stage.do(throwing("ann", "rock", "cid"));
    stage.do(challenge("cid", "bob"));
    // The duel with cid waits for cid, not for ann.
    assert.equal(stage.says(web("ann"), "throw paper"), "You threw paper, bob threw rock: you win!");
    assert.equal(stage.says(web("ann"), "paper"), "Who do you want to challenge? Write: throw rock @nick");
    assert.match(stage.says(web("bob"), "paper"), /^You threw\. It is secret until cid throws too/);
  });

  test("[CH4] lists the candidates if several people wait", () => {
    const stage = new DirectoryStage().named("ann", "bob", "cid");
    stage.do(throwing("bob", "rock", "ann"));
    stage.do(throwing("cid", "rock", "ann"));
    assert.equal(
      stage.says(web("ann"), "paper"),
      "Who is it for? Waiting for your throw: bob, cid. Write: throw rock @bob",
    );
    assert.equal(stage.directory!.duels.openCount, 2);
  });

  test("[CH4] keeps the names at its time, even if somebody changes theirs", () => {
    const stage = new DirectoryStage().named("ann", "bob");
    stage.do(throwing("ann", "rock", "bob"));
    stage.do(takeName("ann", "queen"));
    assert.match(stage.says(web("bob"), "throw rock @ann"), /^Nobody here has the nickname ann/);
    assert.equal(stage.says(web("bob"), "throw paper @queen"), "You threw paper, queen threw rock: you win!");
    stage.do(takeName("bob", "king"));
    assert.match(stage.says(web("ann"), "games"), /Last: You threw rock, bob threw paper: bob wins\.$/);
  });
});

describe("a duel by its number", () => {
  test("[CH4] may be opened without a throw; the first throw notifies the other player", () => {
    const stage = new DirectoryStage().named("ann", "bob");
    const opened = stage.do(challenge("ann", "bob"));
    assert.deepEqual(typesOf(opened.events), ["duel-opened"]);
    assert.match(textsTo(opened.effects, "conversation/bob")[0], /^ann challenges you/);
    const thrown = stage.do(throwing("bob", "paper", "ann"));
    assert.match(textsTo(thrown.effects, "conversation/bob")[0], /until ann throws too\.$/);
    assert.deepEqual(textsTo(thrown.effects, "conversation/ann"), [
      "bob has thrown. Your turn. Answer with: throw rock @bob (or paper, or scissors).",
    ]);
    const ended = stage.do(throwIn("ann", 1, "rock"));
    assert.equal(only(ended.events, "duel-ended").winner, 1);
    assert.deepEqual(textsTo(ended.effects, "conversation/bob"), [
      "You threw paper, ann threw rock: you win!",
    ]);
    assert.deepEqual(textsTo(ended.effects, "conversation/ann"), [], "ann sees it in the answer");
  });

  test("[CH4][AU3] a duel of other people is not found", () => {
    const stage = new DirectoryStage().named("ann", "bob", "cid");
    stage.do(challenge("ann", "bob", "rock"));
    stage.refused(throwIn("cid", 1, "paper"), "duel.not-found");
    stage.refused(drop("cid", 1), "duel.not-found");
    stage.refused(throwIn("ann", 2, "paper"), "duel.not-found");
    stage.refused(throwIn("ann", 1, "paper"), "duel.thrown");
    stage.do(throwIn("bob", 1, "paper"));
    stage.refused(throwIn("bob", 1, "paper"), "duel.over");
    stage.refused(drop("ann", 1), "duel.over");
    stage.refused(drop("cid", 1), "duel.not-found");
  });

  test("[CH4] may be dropped by either player, and the other is notified", () => {
    const stage = new DirectoryStage().named("ann", "bob");
    stage.do(challenge("ann", "bob", "rock"));
    assert.deepEqual(stage.do(drop("ann", 1)).effects, [
      { to: "conversation/bob", body: { text: "ann has withdrawn the challenge." } },
    ]);
    stage.do(challenge("ann", "bob", "rock"));
    assert.deepEqual(stage.do(drop("bob", 2)).effects, [
      { to: "conversation/ann", body: { text: "bob does not want to duel." } },
    ]);
    assert.match(stage.says(web("ann"), "games"), /^You have no open duels\./);
    stage.refused(throwIn("bob", 1, "paper"), "duel.over");
  });

  test("[CH4][CH5] may be dropped by chat, by the name of the other", () => {
    const stage = new DirectoryStage().named("ann", "bob", "cid");
    stage.do(challenge("ann", "bob", "rock"));
    stage.do(challenge("cid", "ann", "rock"));
    const withdrawn = stage.do(hear(web("ann"), "withdraw @BOB"));
    assert.equal(only(withdrawn.events, "duel-dropped").reason, "withdrawn");
    assert.deepEqual(textsTo(withdrawn.effects, "conversation/ann"), ["Your duel with bob is cancelled."]);
    assert.deepEqual(textsTo(withdrawn.effects, "conversation/bob"), ["ann has withdrawn the challenge."]);
    const declined = stage.do(hear(web("ann"), "decline cid"));
    assert.equal(only(declined.events, "duel-dropped").reason, "declined");
    assert.deepEqual(textsTo(declined.effects, "conversation/cid"), ["ann does not want to duel."]);
    assert.equal(stage.directory!.duels.openCount, 0);
  });

  test("[CH4][CH5] that does not exist cannot be dropped by chat, and nobody is notified", () => {
    const stage = new DirectoryStage().named("ann", "bob");
    for (const [text, reply] of [
      [
        "decline @bob",
        "You have no open duel with bob. To decline a match that was reported, write: decline",
      ],
      [
        "withdraw @ann",
        "You have no open duel with ann. To decline a match that was reported, write: decline",
      ],
      [
        "decline @nobody",
        "Nobody here has the nickname nobody. Have they chosen a nickname? They can write: nick NAME",
      ],
    ]) {
      assert.equal(stage.says(web("ann"), text), reply);
      assert.equal(stage.sent.at(-1)!.to, "conversation/ann");
    }
    assert.deepEqual(stage.told("conversation/bob"), []);
  });
});

describe("a duel that counts", () => {
  test("[CH4][LD12] reaches the ladder as a match, once, from the entry that ends it", () => {
    const scores = { rock: [0, 0], paper: [0, 1], scissors: [1, 0] };
    for (const hand of hands) {
      const stage = new DirectoryStage().named("ann", "bob");
      const opened = stage.do(throwing("ann", "rock", "bob", true));
      assert.match(
        textsTo(opened.effects, "conversation/bob")[0],
        /To make it count on the ladder, add: rated\.$/,
      );
      assert.match(textsTo(opened.effects, "conversation/ann")[0], /It counts if bob says rated too\.$/);
      const { effects } = stage.do(throwing("bob", hand, "ann", true));
      const sent = effects.filter(({ to }) => to === "ladder/club");
      const body = { players: ["ann", "bob"], names: ["ann", "bob"], scores: scores[hand], duel: true };
      assert.deepEqual(sent, [{ to: "ladder/club", body }]);
      for (const name of ["ann", "bob"])
        assert.match(textsTo(effects, `conversation/${name}`)[0], / It counts on the ladder\.$/);
      const command = ladderDecider.inbox!.receive("directory/main", [{ version: stage.version, body }]);
      assert.equal(command.type, "deliver");
    }
  });

  test("[CH4][NM3] adds its ladder to both people's ladders, but not as the default", () => {
    const stage = new DirectoryStage().named("ann", "bob");
    const laddersOf = (name: string) => stage.directory!.people.get(name as never)!.ladders;
    stage.asks(web("ann"), "register other", ladder("other"));
    stage.asks(web("bob"), "register club", club);
    stage.asks(web("bob"), "register other", ladder("other"));
    stage.do(challenge("ann", "bob", "rock", "club"));
    assert.deepEqual(laddersOf("ann"), ["other"], "not before the duel has ended");
    stage.do(challenge("bob", "ann", "rock", "club"));
    assert.deepEqual(laddersOf("ann"), ["club", "other"]);
    assert.deepEqual(laddersOf("bob"), ["club", "other"]);
    assert.equal(ladderMeant(stage.directory, { ...web("ann"), text: "top" }).ladder, "other");
    // Unrated duels do not change the ladders.
    stage.do(challenge("ann", "bob", "rock", "third"));
    stage.do(challenge("bob", "ann", "rock"));
    assert.deepEqual(laddersOf("ann"), ["club", "other"]);
  });

  test("[CH4] counts only if both players name the same ladder", () => {
    const both: [string | null, string | null][] = [
      ["club", null],
      [null, "club"],
      ["club", "other"],
      [null, null],
    ];
    for (const [first, second] of both) {
      const stage = new DirectoryStage().named("ann", "bob");
      stage.do(challenge("ann", "bob", "rock", first));
      const { events, effects } = stage.do(challenge("bob", "ann", "paper", second));
      assert.equal(only(events, "duel-ended").ladder, null);
      assert.deepEqual(
        effects.map(({ to }) => to),
        ["conversation/ann"],
      );
    }
  });

  test("[CH4][NM3] replaces the ladder that they used longest ago", () => {
    const stage = new DirectoryStage().named("ann", "bob");
    const max = directoryLimits.ladderNamesMax;
    for (let nth = 1; nth <= max; nth++) stage.asks(web("ann"), `register l${nth}`, ladder(`l${nth}`));
    stage.do(challenge("ann", "bob", "rock", "club"));
    stage.do(challenge("bob", "ann", "rock", "club"));
    assert.deepEqual(stage.directory!.people.get("ann" as never)!.ladders, [
      "club",
      ...Array.from({ length: max - 1 }, (_, nth) => `l${nth + 2}`),
    ]);
  });

  test("[CH4] is refused with an obstacle, and then nothing is thrown", () => {
    const stage = new DirectoryStage().named("ann", "bob");
    const obstacle = { code: "ladder.closed", message: "It is closed." } as const;
    stage.refused({ ...challenge("ann", "bob", "rock", "club"), obstacle } as never, "ladder.closed");
    stage.do(challenge("ann", "bob", "rock", "club"));
    const thrown = throwIn("bob", 1, "rock", "club");
    stage.refused({ ...thrown, obstacle } as never, "ladder.closed");
    // A retry with the same key is the same request, even if an obstacle has appeared meanwhile.
    const { fingerprint } = directoryDecider.keys;
    assert.equal(fingerprint({ ...thrown, obstacle } as never), fingerprint(thrown));
  });

  test("[CH4] counts only on a ladder that takes duels; otherwise nothing is thrown", () => {
    const stage = new DirectoryStage().named("ann", "bob");
    for (const meant of [quiet, undefined])
      assert.equal(
        stage.says(web("ann"), "throw rock @bob rated", meant),
        "Duels do not count on your ladder. To play for fun, throw without the word rated.",
      );
    assert.equal(stage.directory!.duels.openCount, 0);
  });
});
