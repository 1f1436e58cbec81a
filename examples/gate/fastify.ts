import { openseatGate } from "@openseat/gate/fastify";
import fastify from "fastify";
import { options, port, shopPage } from "./settings.ts";

const gate = openseatGate({ ...options, bypass: ["/healthz"] });
const app = fastify();

app.register(gate);
app.get("/healthz", async () => "ok");
app.get("/", async (_request, reply) => reply.type("text/html").send(shopPage));
app.post("/buy", async (request) => {
  // This visitor is done, so let the next one in. Answer with the thank-you page: another request would enter the line again.
  await gate.complete(request);
  return "Thank you!";
});
await app.listen({ port });
