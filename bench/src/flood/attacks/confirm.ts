import { Crowd } from "../../persons.ts";
import type { Attack } from "../attack.ts";
import { attackerAddress } from "../attackers/attacker.ts";
import { attackerName, attackerPerson } from "../attackers/attacking-persons.ts";
import { hammer, requestText } from "../attackers/hammer.ts";

const reporters = 101;
const enrolledAtOnce = 20;
const ladder = "confirmed";
const matchesPath = `/api/v1/ladders/${ladder}/matches`;

type Job = { readonly secret: string };

/** Reports that nobody will ever confirm pile up on a ladder that requires confirmation. */
export const confirm: Attack<Job> = {
  name: "confirm",
  about: "101 players report matches that nobody confirms, while polite pairs report and confirm theirs",
  async prepare(stage) {
    const { server, guests } = stage;
    await server.operate("POST", "/api/v1/ladders", { id: ladder, title: "Confirmed", confirm: true });
    const names = [
      ...Array.from({ length: reporters }, (_, number) => attackerName(number)),
      ...guests.map(({ id }) => id),
    ];
    for (let start = 0; start < names.length; start += enrolledAtOnce) {
      const some = names.slice(start, start + enrolledAtOnce);
      await Promise.all(
        some.map((userId) => server.operate("POST", `/api/v1/ladders/${ladder}/players`, { userId })),
      );
    }
    return {
      jobs: [{ secret: server.secret }],
      async alsoPolite(ask, guest, peer) {
        const match = { players: [guest.id, peer.id], scores: [2, 1] };
        const reported = await ask(guest, "report", "POST", matchesPath, match);
        if (reported) await ask(peer, "confirm", "POST", `${matchesPath}/${reported.match.id}/confirm`);
      },
    };
  },
  async run(attacker, { secret }) {
    const crowd = new Crowd(secret);
    const reports = Array.from({ length: reporters }, (_, number) => {
      const players = [attackerName(number), attackerName((number + 1) % reporters)];
      const body = JSON.stringify({ players, scores: [1, 0] });
      return requestText("POST", matchesPath, attackerPerson(crowd, number).token, body);
    });
    // Each person has their own address, so limits per address alone would not help.
    const from = (number: number): string => attackerAddress(1 + number);
    await hammer(attacker, { connections: reporters, inFlight: 2, from, next: (number) => reports[number] });
  },
};
