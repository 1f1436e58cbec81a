import { createServer, type RequestListener } from "node:http";
import { openseatGate } from "@openseat/gate/node";
import { options, port, shopPage } from "./settings.ts";

const gate = openseatGate({ ...options, bypass: ["/healthz"] });

const shop: RequestListener = async (request, response) => {
  if (request.url === "/healthz") return response.end("ok");
  if (request.url !== "/buy") return response.setHeader("Content-Type", "text/html").end(shopPage);
  // This visitor is done, so let the next one in. Answer with the thank-you page: another request would enter the line again.
  await gate.complete(request);
  response.end("Thank you!");
};

createServer((request, response) => gate(request, response, () => shop(request, response))).listen(port);
