import { refusals } from "@openseat/kernel";
import type { Pages } from "@openseat/web";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Result } from "../../app/result.ts";
import { assetRoute } from "./asset-route.ts";
import { sendPage } from "./page-document.ts";

const roomAddresses = {
  games: ["/games/:id"],
  arenas: ["/arenas/:id", "/arenas/:id/matches/:match"],
  ladders: ["/ladders/:id", "/ladders/:id/players/:player"],
} as const;

const otherAddresses = ["/", "/chat", "/duels"];

type Kind = keyof typeof roomAddresses;

type FindRoom = (id: string) => Promise<Result<unknown>>;

/** The document is stored compressed. */
const hidden = { config: { access: "public", isCompressed: false }, schema: { hide: true } } as const;

const notBuilt =
  "The pages have not been built. Stop the server and start it with `npm start`, which builds them, or run `npm run build` and start it again.\n";

const idPattern = /^[A-Za-z0-9_-]{1,64}$/;

/** The pages on which people find rooms, play and watch; undefined if they have not been built. */
export function pageRoutes(
  app: FastifyInstance,
  rooms: Readonly<Record<Kind, FindRoom>>,
  pages: Pages | undefined,
): void {
  const send = (request: FastifyRequest, reply: FastifyReply, status?: 200 | 404) =>
    pages
      ? sendPage(request, reply, pages, status)
      : reply.code(503).header("retry-after", "60").type("text/plain; charset=utf-8").send(notBuilt);
  for (const address of otherAddresses) app.get(address, hidden, (request, reply) => send(request, reply));
  for (const kind of Object.keys(roomAddresses) as Kind[])
    for (const address of roomAddresses[kind])
      app.get<{ Params: { id: string } }>(address, hidden, async (request, reply) => {
        const isThere = !pages || (await isRoom(rooms[kind], request.params.id));
        return send(request, reply, isThere ? 200 : 404);
      });
  assetRoute(app, "/assets/:name", (name) => pages?.assets.get(name));
}

/** If the log cannot be read, assume that the room exists: the page itself reports the error. */
async function isRoom(find: FindRoom, id: string): Promise<boolean> {
  if (!idPattern.test(id)) return false;
  const found = await find(id).catch(() => undefined);
  return !(found && "refusal" in found && refusals[found.refusal.code].status === 404);
}
