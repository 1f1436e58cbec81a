import { keyOf, type Person, personName } from "../persons.ts";
import type { RequestBook } from "../request-book.ts";

const scoreMax = 5;

/** A player on the ladder, by the name in their token. */
export type LadderPlayer = { readonly name: string; readonly token: string };

/** The first persons of a crowd. */
export function playersFrom(
  crowd: { person(number: number): Person },
  count: number,
): readonly LadderPlayer[] {
  return Array.from({ length: count }, (_, index) => ({
    name: personName(index + 1),
    token: crowd.person(index + 1).token,
  }));
}

/** Writes match reports: each has its own key and comes from one of two random players. */
export class Reports {
  readonly #players: readonly LadderPlayer[];
  readonly #path: string;
  readonly #keyStart: string;
  #count = 0;

  constructor(ladder: string, players: readonly LadderPlayer[], keyStart: string) {
    this.#path = `/api/v1/ladders/${ladder}/matches`;
    this.#players = players;
    this.#keyStart = keyStart;
  }

  addTo(book: RequestBook, count: number): void {
    for (let added = 0; added < count; added++) book.addText(this.#next());
  }

  #next(): string {
    const players = this.#players;
    const first = below(players.length);
    const second = (first + 1 + below(players.length - 1)) % players.length;
    const body =
      `{"players":["${players[first].name}","${players[second].name}"],` +
      `"scores":[${below(scoreMax)},${below(scoreMax)}]}`;
    return (
      `POST ${this.#path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${players[first].token}\r\n` +
      `Idempotency-Key: ${keyOf(this.#keyStart, ++this.#count)}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    );
  }
}

function below(count: number): number {
  return Math.floor(Math.random() * count);
}
