import { openseatGate } from "@openseat/gate/express";
import express from "express";
import { options, port, shopPage } from "./settings.ts";

const gate = openseatGate(options);
const app = express();

app.get("/healthz", (_request, response) => response.send("ok"));
app.use(gate);
app.get("/", (_request, response) => response.send(shopPage));
app.post("/buy", async (request, response) => {
  // This visitor is done, so let the next one in. Answer with the thank-you page: another request would enter the line again.
  await gate.complete(request);
  response.send("Thank you!");
});
app.listen(port);
