import { createServer } from "node:http";
import { behindWaitingRoom } from "./openseat-middleware.ts";

const { OPENSEAT_URL = "http://localhost:8080", OPENSEAT_ISSUER = "openseat" } = process.env;
const { OPENSEAT_SERVICE_KEY, QUEUE = "shop", PORT = "3000" } = process.env;
const { SITE_URL = `http://localhost:${PORT}` } = process.env;

if (!OPENSEAT_SERVICE_KEY) {
  console.error("OPENSEAT_SERVICE_KEY is missing. It is in secrets.json in Openseat's data folder.");
  process.exit(2);
}

const room = {
  openseat: OPENSEAT_URL,
  issuer: OPENSEAT_ISSUER,
  queue: QUEUE,
  serviceKey: OPENSEAT_SERVICE_KEY,
  site: SITE_URL,
};

/** A shop that can serve only a few visitors at once. */
const shop = behindWaitingRoom(room, (request, response) => {
  response.setHeader("Content-Type", "text/html; charset=utf-8");
  if (request.method === "POST" && request.url === "/buy") {
    // This visitor is done, so let the next one in.
    response.setHeader("Openseat-Session", "complete");
    response.end('<!doctype html><title>Shop</title><p>Thank you! <a href="/">Come again.</a>');
    return;
  }
  response.end(
    '<!doctype html><title>Shop</title><p>You are in. <form method="post" action="/buy"><button>Buy</button></form>',
  );
});

const server = createServer((request, response) => {
  Promise.resolve(shop(request, response)).catch((error: unknown) => {
    console.error(error);
    if (response.headersSent) response.destroy();
    else response.writeHead(500).end();
  });
});
server.listen(Number(PORT), () => {
  const address = server.address();
  console.log(`The shop is open on port ${typeof address === "object" && address?.port}.`);
});
