import { personName } from "../persons.ts";
import { RequestBook } from "../request-book.ts";

export const playersPerPage = 50;

/** One request per player, with their ranks. */
export function playerRequests(ladder: string, players: Iterable<number>): RequestBook {
  return bookOf(players, (player) => `/api/v1/ladders/${ladder}/players/${personName(player)}`);
}

/** A page of the standings from each of these places. */
export function standingsRequests(ladder: string, places: Iterable<number>): RequestBook {
  return bookOf(
    places,
    (place) => `/api/v1/ladders/${ladder}/standings?from=${place}&limit=${playersPerPage}`,
  );
}

function bookOf(numbers: Iterable<number>, pathOf: (number: number) => string): RequestBook {
  const book = new RequestBook();
  for (const number of numbers) book.addText(`GET ${pathOf(number)} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  return book;
}
