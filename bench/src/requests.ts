import type { Person } from "./persons.ts";
import type { RequestBook } from "./request-book.ts";
import { addTextFrame } from "./ws-frames.ts";

const common = "Host: 127.0.0.1\r\nAuthorization: Bearer ";

/** Adds an HTTP join, as a browser sends it: a POST without a body. */
export function addJoin(book: RequestBook, game: string, { token, key }: Person): void {
  book.addText(
    `POST /api/v1/games/${game}/join HTTP/1.1\r\n${common}${token}\r\nIdempotency-Key: ${key}\r\nContent-Length: 0\r\n\r\n`,
  );
}

export function addCanJoin(book: RequestBook, game: string, { token }: Person): void {
  book.addText(`GET /api/v1/games/${game}/can-join HTTP/1.1\r\n${common}${token}\r\n\r\n`);
}

/** Adds a WebSocket join. Its id is its number in the book, which leads from the answer to the time it was sent. */
export function addWsJoin(book: RequestBook, game: string, { token, key }: Person): void {
  addTextFrame(book, `{"id":${book.count},"type":"join","game":"${game}","key":"${key}","token":"${token}"}`);
}

/** Adds a request to the bare server: the headers of a join, and a small JSON body. */
export function addBarePost(book: RequestBook, { token, key }: Person): void {
  const body = '{"game":"skywV4AIbZCOCwrXFzcx","title":"The hot game"}';
  book.addText(
    `POST /api/v1/games/hot/join HTTP/1.1\r\n${common}${token}\r\nIdempotency-Key: ${key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
}

/** Adds a request to enter a line, as a browser sends it, with a key. */
export function addEnter(book: RequestBook, queue: string, { token, key }: Person): void {
  book.addText(
    `POST /api/v1/queues/${queue}/positions HTTP/1.1\r\n${common}${token}\r\nIdempotency-Key: ${key}\r\nContent-Length: 0\r\n\r\n`,
  );
}

export function addEnterWithoutKey(book: RequestBook, queue: string, { token }: Person): void {
  book.addText(enterRequest(queue, token));
}

export function addPosition(book: RequestBook, id: string, { token }: Person): void {
  book.addText(positionRequest(id, token));
}

export function addHeartbeat(book: RequestBook, id: string, { token }: Person): void {
  book.addText(postRequest(`/api/v1/positions/${id}/heartbeat`, token));
}

export function enterRequest(queue: string, token: string): string {
  return postRequest(`/api/v1/queues/${queue}/positions`, token);
}

export function positionRequest(id: string, token: string): string {
  return `GET /api/v1/positions/${id} HTTP/1.1\r\n${common}${token}\r\n\r\n`;
}

export function claimRequest(admission: string, token: string): string {
  const body = `{"token":"${admission}"}`;
  return (
    `POST /api/v1/sessions HTTP/1.1\r\n${common}${token}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  );
}

export function completeRequest(session: string, token: string): string {
  return postRequest(`/api/v1/sessions/${session}/complete`, token);
}

function postRequest(path: string, token: string): string {
  return `POST ${path} HTTP/1.1\r\n${common}${token}\r\nContent-Length: 0\r\n\r\n`;
}
