import { Readable } from "node:stream";
import type { Refusal } from "@openseat/kernel";
import { Id, LadderExportQuery, LadderImport, NewImport } from "@openseat/protocol";
import type { FastifyInstance } from "fastify";
import Type from "typebox";
import { AtOnce } from "../address-limits.ts";
import { anyRole } from "../auth/access.ts";
import { answering, sendRefusal } from "../envelope.ts";
import { oneOfFew, type TooMany } from "../one-of-few.ts";
import { Keyed, keyOf, schema } from "../schemas.ts";
import { InvalidInput, invalidInput } from "../validation.ts";
import type { LadderExports } from "./ladder-exports.ts";
import type { LadderImports } from "./ladder-imports.ts";

const importBytesMax = 16 * 1024 * 1024;

/** Files under way, in all and for one address: each costs memory, or the attention of everybody. */
const exportsMax = 32;
const exportsPerAddressMax = 4;
const importsMax = 4;
const importsPerAddressMax = 1;

const params = Type.Object({ id: Id });
const importParams = Type.Object({ id: Id, import: Type.String({ pattern: "^[0-9a-f]{32}$" }) });
type WithId = { Params: { id: string } };

/** Ladders as files: taken in, and given out. In a scope of their own, for only here is CSV a body. */
export async function fileRoutes(
  app: FastifyInstance,
  { imports, exports }: { readonly imports: LadderImports; readonly exports: LadderExports },
): Promise<void> {
  await app.register(async (scope) => {
    scope.addContentTypeParser<Buffer>("text/csv", { parseAs: "buffer" }, (_, body, done) => {
      try {
        done(null, new TextDecoder("utf-8", { fatal: true }).decode(body));
      } catch {
        done(new InvalidInput(notUtf8));
      }
    });
    importRoutes(scope, imports);
    exportRoute(scope, exports);
  });
}

function importRoutes(app: FastifyInstance, imports: LadderImports): void {
  app.post<WithId & { Body: { matches: unknown[] } | string }>(
    "/api/v1/ladders/:id/imports",
    {
      config: { access: anyRole },
      bodyLimit: importBytesMax,
      // Only then is the body read.
      onRequest: oneOfFew(new AtOnce(importsMax, importsPerAddressMax), tooMany),
      preParsing: async (request, reply, payload) => {
        const refusal = await imports.obstacle(request.identity!, (request.params as { id: string }).id);
        if (refusal) await sendRefusal(reply, refusal);
        return payload;
      },
      schema: {
        ...schema(
          "Import past matches to a ladder you made (or to any, as a service or an operator)",
          { params, headers: Keyed, body: Type.Union([NewImport, Type.String()]) },
          202,
          LadderImport,
        ),
        consumes: ["application/json", "text/csv"],
      },
    },
    answering((request) => {
      const { body } = request;
      const file = typeof body === "string" ? body : body.matches;
      return imports.begin(request.identity!, request.params.id, file, keyOf(request));
    }),
  );

  app.get<{ Params: { id: string; import: string } }>(
    "/api/v1/ladders/:id/imports/:import",
    {
      config: { access: "public" },
      schema: schema("How far an import is", { params: importParams }, 200, LadderImport),
    },
    answering((request) => imports.progress(request.params.id, request.params.import)),
  );
}

const notUtf8: Refusal = {
  code: "import.invalid",
  message: "The file is not in UTF-8. Please save it as that: names would be ruined.",
};

const tooMany: TooMany = {
  address: "This address is sending or taking other files just now. Please wait until one of them is done.",
  all: "Others are sending or taking files just now. Please try again in a moment.",
};

const types = { csv: "text/csv; charset=utf-8", json: "application/json; charset=utf-8" } as const;

function exportRoute(app: FastifyInstance, exports: LadderExports): void {
  app.get<WithId & { Querystring: Type.Static<typeof LadderExportQuery> }>(
    "/api/v1/ladders/:id/export",
    {
      config: { access: "public" },
      onRequest: oneOfFew(new AtOnce(exportsMax, exportsPerAddressMax), tooMany),
      schema: {
        summary: "Take out the standings, all matches, or a player's history, as CSV or JSON",
        tags: ["api"],
        params,
        querystring: LadderExportQuery,
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const { what, format, player } = request.query;
      if (what === "history" && player === undefined)
        return sendRefusal(reply, invalidInput("query", "player", "is missing: it says whose history"));
      const text = await exports.text(
        what === "history" ? { id, format, what, player: player! } : { id, format, what },
      );
      if ("refusal" in text) return sendRefusal(reply, text.refusal);
      reply.header("content-type", types[format]);
      reply.header("content-disposition", `attachment; filename="${id}-${what}.${format}"`);
      return reply.send(Readable.from(text));
    },
  );
}
