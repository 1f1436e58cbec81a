import assert from "node:assert/strict";
import { test } from "node:test";
import { type DirectoryCommand, directoryDecider, type Hand } from "@openseat/kernel";
import fc from "fast-check";
import { millis } from "../room-stage.ts";
import { type Asked, randomStep, type Step, script, spellings } from "./script.ts";
import { DirectoryStage } from "./stage.ts";

const { decide } = directoryDecider;
const hands: readonly Hand[] = ["rock", "paper", "scissors"];

/** A command and its time; for a throw that awaits an answer, also its duel. */
interface Moment {
  readonly at: number;
  readonly asked: Asked;
  readonly opens?: number;
}

/** The same command with another hand. */
function otherHand({ command, thrown }: Asked, hand: Hand): DirectoryCommand {
  if (command.type === "challenge" || command.type === "throw") return { ...command, hand };
  assert.ok(command.type === "hear" && thrown);
  const { at, rated } = thrown;
  const name = at === null ? "" : ` @${spellings[at][0]}`;
  return { ...command, text: `throw ${hand}${name}${rated ? " rated" : ""}` };
}

/** Everything that one step says, and its recipients. */
function saidBy(
  stage: DirectoryStage,
  command: DirectoryCommand,
): { readonly to: string; readonly what: string }[] {
  const decision = decide(stage.directory, command, millis(stage.now));
  if ("refusal" in decision) return [{ to: placeOf(command, stage), what: decision.refusal.message }];
  if (decision.events.length === 0) return [];
  const { events, effects } = stage.write(decision.events);
  const last = events.at(-1)!;
  const said = effects.map(({ to, body }) => ({ to, what: JSON.stringify(body) }));
  if (last.type === "answered" && last.to === null)
    said.push({ to: placeOf(command, stage), what: last.reply });
  return said;
}

/** Where the asker reads private messages. */
function placeOf(command: DirectoryCommand, { directory }: DirectoryStage): string {
  if ("person" in command) return `conversation/${command.person}`;
  if (command.type !== "hear") return "an operator, or another stream";
  const { channel, speaker, place } = command;
  if ("person" in speaker) return `conversation/${speaker.person}`;
  return `${channel}/${directory?.places.get(`${channel} ${place}`)}`;
}

/** All commands of a run of the script, including ticks. */
function recorded(steps: readonly Step[]): Moment[] {
  const stage = new DirectoryStage();
  const moments: Moment[] = [];
  const record = (asked: Asked) => {
    const decision = decide(stage.directory, asked.command, millis(stage.now));
    const events = "events" in decision ? decision.events : [];
    const thrown = events.find((event) => event.type === "thrown");
    moments.push({ at: stage.now, asked, ...(thrown && { opens: thrown.duel }) });
    if (events.length > 0) stage.write(events);
  };
  for (const { choice, passesMs } of steps) {
    stage.now += passesMs;
    record({ command: directoryDecider.tick });
    record(randomStep(stage, choice));
  }
  return moments;
}

/** Everything others are told while the hand is secret, if `hand` is thrown at `index`. */
function revealedTo(moments: readonly Moment[], index: number, hand: Hand): string[] {
  const stage = new DirectoryStage();
  const said: string[] = [];
  let own: string | undefined;
  for (const [nth, { at, asked }] of moments.entries()) {
    stage.now = at;
    const command = nth === index ? otherHand(asked, hand) : asked.command;
    const all = saidBy(stage, command);
    if (nth === index) own = placeOf(command, stage);
    const known = stage.directory?.duels.get(moments[index].opens as never);
    if (nth >= index && known && "end" in known && "hands" in known.end) break;
    if (nth >= index)
      said.push(...all.flatMap(({ to, what }) => (to === own ? [] : `${nth} ${to}: ${what}`)));
  }
  return said;
}

test("[MT3][CH4] until both have thrown, messages to others do not depend on the throw", () => {
  let compared = 0;
  const property = fc.property(script(80), fc.nat(), (steps, which) => {
    const moments = recorded(steps);
    const throws = moments.flatMap(({ opens }, index) => (opens === undefined ? [] : [index]));
    if (throws.length === 0) return;
    const index = throws[which % throws.length];
    const [rock, ...others] = hands.map((hand) => revealedTo(moments, index, hand));
    for (const other of others) assert.deepEqual(other, rock);
    compared += rock.length;
  });
  fc.assert(property, { numRuns: 150 });
  assert.ok(compared > 250, `${compared} things were said`);
});
