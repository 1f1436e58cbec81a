import type { Bench } from "../bench.ts";
import type { Openseat } from "../openseat-server.ts";
import type { Person } from "../persons.ts";
import { RequestBook } from "../request-book.ts";

const messageIdLength = 36;
const noEndMs = 10 * 60 * 1000;

/** A person who chats, with their nickname. */
export type Talker = { readonly nickname: string; readonly token: string };

/** The first persons of a crowd. */
export function talkersFrom(crowd: { person(number: number): Person }, count: number): readonly Talker[] {
  return Array.from({ length: count }, (_, index) => ({
    nickname: nicknameOf(index + 1),
    token: crowd.person(index + 1).token,
  }));
}

export function nicknameOf(number: number): string {
  return `Player-${String(number).padStart(7, "0")}`;
}

/** Everyone's first messages: a nickname, and the registration on the ladder. */
const greetings: readonly { readonly id: string; readonly textOf: (talker: Talker) => string }[] = [
  { id: "nick", textOf: ({ nickname }) => `nick ${nickname}` },
  { id: "register", textOf: () => "register" },
];

/** The number of greetings per person. */
export const greetingsEach = greetings.length;

/** Gives everyone a nickname and registers them, as fast as possible; not measured. */
export async function greet(bench: Bench, server: Openseat, talkers: readonly Talker[]): Promise<void> {
  const load = bench.httpLoad(server);
  const book = new RequestBook();
  for (const { id, textOf } of greetings) {
    book.clear();
    for (const [index, talker] of talkers.entries())
      book.addText(messageRequest(talker, messageIdOf(id, index), textOf(talker)));
    await load.saturate(book, noEndMs);
  }
  load.close();
}

/** As long as a UUID, and always the same for a number. */
export function messageIdOf(kind: string, number: number): string {
  return `${kind}-${String(number).padStart(messageIdLength - kind.length - 1, "0")}`;
}

/** A message as a browser or a program sends it. */
export function messageRequest({ token }: Talker, messageId: string, text: string): string {
  const body = `{"messageId":"${messageId}","text":"${text}"}`;
  return (
    `POST /api/v1/chat/messages HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  );
}
