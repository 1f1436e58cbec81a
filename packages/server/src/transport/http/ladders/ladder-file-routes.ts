import type { IncomingMessage } from "node:http";
import type { Refusal } from "@openseat/kernel";
import { Id, LadderExportQuery, LadderImport, NewImport } from "@openseat/protocol";
import type { FastifyInstance, FastifyRequest } from "fastify";
import Type from "typebox";
import { invalidInput } from "../../../app/invalid-input.ts";
import type { ImportFile } from "../../../app/ladders/import/import-worker.ts";
import type { LadderExports } from "../../../app/ladders/ladder-exports.ts";
import type { BegunImport, LadderImports } from "../../../app/ladders/ladder-imports.ts";
import { mapped, type Result } from "../../../app/result.ts";
import type { Clock } from "../../../clock.ts";
import { anyRole } from "../../auth/access.ts";
import { ConcurrencyLimit } from "../../limits/concurrency.ts";
import { limitConcurrency, type TooMany } from "../../limits/limit-concurrency.ts";
import type { WriteBudgets } from "../../limits/write-budgets.ts";
import { bodyBytes } from "../body-bytes.ts";
import { about } from "../docs/operations.ts";
import { type Answer, answering, answerOf, saying, sendRefusal } from "../envelope.ts";
import { keyed, idParams as params, route } from "../schemas.ts";
import { sendText } from "../text-stream.ts";
import { compileSchema, InvalidInput } from "../validation.ts";

/** For files from people. Services and operators may send larger ones. */
const personImportBytesMax = 1024 * 1024;
const importBytesMax = 16 * 1024 * 1024;

/** Concurrent exports: each costs memory. */
const exportsMax = 128;
const exportsPerAddressMax = 2;
const personImportsMax = 32;
const importsMax = 4;
const importsPerAddressMax = 1;

const importParams = Type.Object({ id: Id, import: Type.String({ pattern: "^[0-9a-f]{32}$" }) });

interface FileRouteDeps {
  readonly imports: LadderImports;
  readonly exports: LadderExports;
  readonly budgets: WriteBudgets;
  readonly clock: Clock;
}

/** In its own Fastify scope, because only these routes accept CSV. */
export async function fileRoutes(
  app: FastifyInstance,
  { imports, exports, budgets, clock }: FileRouteDeps,
): Promise<void> {
  await app.register(async (scope) => {
    // Parsing a large JSON file on the main thread would block all other requests.
    scope.removeContentTypeParser("application/json");
    for (const type of ["json", "csv"] as const) {
      scope.addContentTypeParser(
        mediaTypes[type],
        async (request: FastifyRequest, payload: IncomingMessage) => ({
          type,
          bytes: await bodyBytes(payload, bytesMaxFor(request)),
        }),
      );
    }
    scope.addHook("onClose", async () => imports.close());
    importRoutes(scope, imports, budgets);
    exportRoute(scope, exports, clock);
  });
}

const mediaTypes = { json: "application/json", csv: "text/csv" } as const;

function isPerson({ identity }: FastifyRequest): boolean {
  return identity?.role === "person";
}

function bytesMaxFor(request: FastifyRequest): number {
  return isPerson(request) ? personImportBytesMax : importBytesMax;
}

/** Checked before the body is read: closing the connection during the upload would lose the response. */
function tooLarge(request: FastifyRequest): Refusal | undefined {
  const bytesMax = bytesMaxFor(request);
  if (!(Number(request.headers["content-length"]) > bytesMax)) return undefined;
  const message = `The file is larger than ${bytesMax / 1024 / 1024} MiB. Please send it in parts.`;
  return { code: "input.too-large", message };
}

function importRoutes(app: FastifyInstance, imports: LadderImports, budgets: WriteBudgets): void {
  const limitTo = (max: number) =>
    limitConcurrency(new ConcurrencyLimit({ max, perAddressMax: importsPerAddressMax }), tooMany("import"));
  const [limitPersons, limitOthers] = [limitTo(personImportsMax), limitTo(importsMax)];
  app.post<{ Params: { id: string }; Body: Pick<ImportFile, "type" | "bytes"> }>(
    "/api/v1/ladders/:id/imports",
    {
      config: { access: anyRole },
      // Separate limits, so that people cannot use up the places of services.
      onRequest: (request, reply) => (isPerson(request) ? limitPersons : limitOthers)(request, reply),
      preParsing: async (request, reply, payload) => {
        const { id } = request.params as { id: string };
        const refusal = tooLarge(request) ?? (await imports.obstacle(request.identity!, id));
        if (refusal) await sendRefusal(reply, refusal);
        return payload;
      },
      validatorCompiler: (part) => (part.httpPart === "body" ? isSent : compileSchema(part)),
      schema: {
        ...keyed(
          "importMatches",
          LadderImport,
          { params, body: Type.Union([NewImport, Type.String()]) },
          202,
        ),
        consumes: Object.values(mediaTypes),
      },
    },
    answering((request, key) => {
      const { identity, params, body, address } = request;
      // The address is charged for the rows, because a client can create any number of guests.
      const charge = (cost: number) => (isPerson(request) ? budgets.charge(cost, null, address) : undefined);
      // Without it, a client that sends files and disconnects would never reach the limit.
      const work = imports.begin(identity!, params.id, body, { key, charge }).then(begunAnswer);
      request.work = work;
      return work;
    }),
  );

  app.get(
    "/api/v1/ladders/:id/imports/:import",
    route({ access: "public" }, "getImport", LadderImport, { params: importParams }),
    saying("The progress of the import.", ({ params: { id, import: file } }) => imports.progress(id, file)),
  );
}

function begunAnswer(result: Result<BegunImport>): Answer {
  const progress = mapped(result, ({ import: progress }) => ({ import: progress }));
  if ("value" in result && !result.value.isNew) return answerOf(progress, 200, "This file was already sent.");
  return answerOf(
    progress,
    202,
    ({ import: { rows } }) => `${rows === 1 ? "1 match is" : `${rows} matches are`} being counted.`,
  );
}

/** Whether a file was sent. Its content is checked where it is parsed. */
function isSent(file: unknown) {
  return file ? { value: file } : { error: new InvalidInput(invalidInput("body", "body", "is missing")) };
}

const tooMany = (what: "import" | "export"): TooMany => ({
  address: `Another ${what} from your network is running. Please try again when it is done.`,
  all: `Too many ${what}s are running. Please try again in a moment.`,
});

const types = { csv: "text/csv; charset=utf-8", json: "application/json; charset=utf-8" } as const;

function exportRoute(app: FastifyInstance, exports: LadderExports, clock: Clock): void {
  app.get<{ Params: { id: string }; Querystring: LadderExportQuery }>(
    "/api/v1/ladders/:id/export",
    {
      config: { access: "public" },
      onRequest: limitConcurrency(
        new ConcurrencyLimit({ max: exportsMax, perAddressMax: exportsPerAddressMax }),
        tooMany("export"),
      ),
      schema: {
        ...about("exportLadder"),
        produces: Object.values(mediaTypes),
        params,
        querystring: LadderExportQuery,
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const { what, format } = request.query;
      const text = await exports.text(id, request.query);
      if ("refusal" in text) return sendRefusal(reply, text.refusal);
      reply.header("content-type", types[format]);
      reply.header("content-disposition", `attachment; filename="${id}-${what}.${format}"`);
      return sendText(reply, text.value, clock);
    },
  );
}
