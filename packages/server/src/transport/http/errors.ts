import type { Refusal } from "@openseat/kernel";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { invalidInput } from "../../app/invalid-input.ts";
import { refusalFor } from "../../host/failures.ts";
import { failure, sendRefusal } from "./envelope.ts";
import { commonHeaders } from "./headers/header-block.ts";
import { newRequestId } from "./headers/request-ids.ts";
import { InvalidInput } from "./validation.ts";

/** Puts every error into the envelope: client errors as a refusal, server errors as a logged fault. */
export function answerErrors(
  app: FastifyInstance,
  noteFault: (error: unknown, what: string) => void,
  answerNotFound = sendNotFound,
): void {
  // Before the body is read, which could be refused for another reason.
  app.addHook("onRequest", function answerUnknown(request, reply, done) {
    if (request.is404) answerNotFound(request, reply);
    else done();
  });
  app.setNotFoundHandler((request, reply) => answerNotFound(request, reply));
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const refusal = refusalOf(error);
    if (refusal.code === "server.fault") {
      noteFault(error, `${request.method} ${request.routeOptions.url} failed (${request.id})`);
    }
    return sendRefusal(reply, refusal);
  });
}

export function sendNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const [path] = request.url.split("?");
  return sendRefusal(reply, {
    code: "route.not-found",
    message: `There is nothing at ${request.method} ${path}. See /docs.`,
  });
}

export function refusalOf(error: FastifyError): Refusal {
  return refusalForInput(error) ?? refusalFor(error);
}

function refusalForInput(error: FastifyError): Refusal | undefined {
  if (error instanceof InvalidInput) return error.refusal;
  switch (error.code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return { code: "input.too-large", message: "The body of the request is too large." };
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return {
        code: "input.unsupported-type",
        message: "The body must be JSON, with Content-Type: application/json.",
      };
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return invalidInput("header", "content-length", "does not match the body");
    case "FST_ERR_BAD_URL":
      return invalidInput("path", "path", "is not a well-formed address");
  }
  if (error instanceof SyntaxError || error.code?.includes("JSON_BODY")) {
    return invalidInput("body", "body", "is not valid JSON");
  }
  return error.statusCode === 400 ? invalidInput("request", "request", "is not valid") : undefined;
}

/** Fastify finds these errors before routing, and would answer them without the envelope. */
export function answerBrokenAddress(error: { code: string }, reply: FastifyReply): void {
  // No hook has run for the request.
  for (const [name, value] of commonHeaders) reply.header(name, value);
  sendRefusal(
    reply,
    error.code === "FST_ERR_MAX_PARAM_LENGTH"
      ? invalidInput("path", "id", "is too long")
      : invalidInput("path", "path", "is not a well-formed address"),
  );
}

/** The response, in the envelope, to input that is too malformed to become a request. */
export function rawErrorResponse(code: string | undefined): string {
  const [status, refusal] = brokenRequests[code ?? ""] ?? ["400 Bad Request", malformed];
  const body = JSON.stringify({
    ...(failure(refusal).body as object),
    statusCode: Number.parseInt(status, 10),
  });
  const common = commonHeaders.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return `HTTP/1.1 ${status}\r\nx-request-id: ${newRequestId()}\r\n${common}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`;
}

const malformed = invalidInput("request", "request", "is not well-formed HTTP");
const handshake = invalidInput("header", "upgrade", "must be a WebSocket handshake of version 13");
const tooSlow: Refusal = { code: "input.too-slow", message: "The request took too long to arrive." };

const brokenRequests: Readonly<Record<string, readonly [status: string, refusal: Refusal]>> = {
  HPE_HEADER_OVERFLOW: [
    "431 Request Header Fields Too Large",
    invalidInput("header", "header", "is too large"),
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", tooSlow],
  WS_ERR_HANDSHAKE: ["400 Bad Request", handshake],
};
