import { serve } from "@hono/node-server";
import { openseatGate } from "@openseat/gate/hono";
import { Hono } from "hono";
import { options, port, shopPage } from "./settings.ts";

const gate = openseatGate({ ...options, bypass: ["/healthz"] });
const app = new Hono();

app.use(gate);
app.get("/healthz", (c) => c.text("ok"));
app.get("/", (c) => c.html(shopPage));
app.post("/buy", async (c) => {
  // This visitor is done, so let the next one in. Answer with the thank-you page: another request would enter the line again.
  await gate.complete(c);
  return c.text("Thank you!");
});
serve({ fetch: app.fetch, port });
