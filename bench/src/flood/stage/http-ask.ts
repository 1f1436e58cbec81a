import { type Agent, type IncomingHttpHeaders, request } from "node:http";
import type { Address } from "../../load.ts";

export type Question = {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
};

export type Reply = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
};

/** Options of a request. Without an agent it uses its own connection; `opened` is called when that is open. */
export type Terms = { readonly agent?: Agent; readonly deadlineMs: number; readonly opened?: () => void };

/** Sends one HTTP request and reads the whole answer. Rejects when there is none before the deadline. */
export function ask(
  target: Address,
  question: Question,
  { agent, deadlineMs, opened }: Terms,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const { method, path, headers, body } = question;
    const outgoing = request(
      { ...target, method, path, headers: { ...headers, ...lengthOf(body) }, agent: agent ?? false },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (part: string) => {
          text += part;
        });
        response.on("end", () => {
          clearTimeout(deadline);
          resolve({ status: response.statusCode as number, headers: response.headers, text });
        });
        response.on("error", fail);
      },
    );
    const fail = (error: Error): void => {
      clearTimeout(deadline);
      reject(error);
      outgoing.destroy();
    };
    const deadline = setTimeout(() => fail(new Error(`no answer in ${deadlineMs / 1000} s`)), deadlineMs);
    if (opened) outgoing.on("socket", (socket) => socket.once("connect", opened));
    outgoing.on("error", fail);
    outgoing.end(body);
  });
}

export function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

function lengthOf(body: string | Buffer | undefined): Record<string, string> {
  return body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
}
