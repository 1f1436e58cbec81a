import { LoadError } from "../../load.ts";
import type { Attack } from "../attack.ts";
import { type Attacker, attackerAddress } from "../attackers/attacker.ts";
import { ask, bearer } from "../stage/http-ask.ts";
import type { AlsoPolite } from "../stage/polite-client.ts";
import type { Stage } from "../stage/stage.ts";

/** One more than the number of simultaneous imports allowed, each from its own address. */
const importers = 4;
const deadlineMs = 30_000;
/** A polite import starts every this many rounds; each guest imports once. */
const politeEveryRounds = 4;

const badLines = 99_000;
const largestAccepted = 1_000_000;
const nestedDeep = 8_000_000;

type Kind = "faults" | "nested" | "small";
type Importer = { readonly ladder: string; readonly token: string };
type Job = { readonly kind: Kind; readonly importers: readonly Importer[] };
type File = { readonly type: string; readonly body: string };

function importAttack(kind: Kind, about: string): Attack<Job> {
  return {
    name: `imports-${kind}`,
    about,
    async prepare(stage) {
      const all = Array.from({ length: importers }, () =>
        newImporter(stage, stage.server.crowd.next().token),
      );
      return { jobs: [{ kind, importers: await Promise.all(all) }], alsoPolite: await politeImports(stage) };
    },
    async run(attacker, job) {
      await Promise.all(job.importers.map((importer, number) => send(attacker, job.kind, importer, number)));
    },
  };
}

async function newImporter(stage: Stage, token: string): Promise<Importer> {
  const { ladder } = await stage.ask(token, "POST", "/api/v1/ladders", { title: "Imported" });
  return { ladder: (ladder as { id: string }).id, token };
}

/**
 * Polite guests import short files into their own ladders, one after the other, because an address may send one at
 * a time.
 */
async function politeImports(stage: Stage): Promise<AlsoPolite> {
  const { guests } = stage;
  const ladders = await Promise.all(guests.map(({ token }) => newImporter(stage, token)));
  let next = 0;
  let isUnderWay = false;
  return async (ask, _guest, _peer, round) => {
    if (round % politeEveryRounds !== 0 || next === guests.length || isUnderWay) return;
    isUnderWay = true;
    const { ladder } = ladders[next];
    const file = "playerA,playerB,scoreA,scoreB\nann,bob,3,1\n";
    try {
      await ask(guests[next++], "import", "POST", `/api/v1/ladders/${ladder}/imports`, file);
    } finally {
      isUnderWay = false;
    }
  };
}

/** Sends files one after the other until the attack is over. */
async function send(
  attacker: Attacker,
  kind: Kind,
  { ladder, token }: Importer,
  number: number,
): Promise<void> {
  const files = filesOf(kind);
  const target = attacker.from(attackerAddress(1 + number));
  const opened = (): void => attacker.opened();
  for (let sent = 0; !attacker.isOver; sent++) {
    const { type, body } = files(sent);
    const headers = { ...bearer(token), "content-type": type };
    const question = { method: "POST", path: `/api/v1/ladders/${ladder}/imports`, headers, body };
    try {
      attacker.count((await ask(target, question, { deadlineMs, opened })).status);
    } catch (error) {
      // The server may refuse while the file is still being sent, and close the connection.
      attacker.cut(error as Error);
      await attacker.pause(5);
    }
  }
}

/**
 * The files of a kind. Large ones alternate with ones just below a megabyte, which even a cautious server reads.
 */
function filesOf(kind: Kind): (number: number) => File {
  switch (kind) {
    case "faults": {
      const large = csv(faultyFile(badLines));
      const small = csv(large.body.slice(0, largestAccepted));
      return (number) => (number % 2 === 0 ? large : small);
    }
    case "nested": {
      const large = json(`{"matches":${"[".repeat(nestedDeep)}`);
      const small = json(nested(largestAccepted / 2 - 100));
      return (number) => (number % 2 === 0 ? large : small);
    }
    case "small":
      return (number) => csv(`playerA,playerB,scoreA,scoreB\nplayer-${number},player-${number + 1},2,1\n`);
    default:
      throw new LoadError(`There are no files of the kind ${kind}.`);
  }
}

function nested(depth: number): string {
  return `{"matches":[${"[".repeat(depth)}${"]".repeat(depth)}]}`;
}

function faultyFile(lines: number): string {
  return `playerA,playerB,scoreA,scoreB,nameA\n${`,,x,y,${"n".repeat(92)}\n`.repeat(lines)}`;
}

function csv(body: string): File {
  return { type: "text/csv", body };
}

function json(body: string): File {
  return { type: "application/json", body };
}

export const importFaults = importAttack(
  "faults",
  "4 people import CSV files of 9.8 MB and of 1 MB in which every line is wrong",
);
export const importNested = importAttack(
  "nested",
  "4 people import JSON nested 8 million deep, and 500,000 deep",
);
export const importSmall = importAttack("small", "4 people import files of one match as fast as they can");
