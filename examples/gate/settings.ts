import type { GateOptions } from "@openseat/gate";

const { OPENSEAT_URL, OPENSEAT_SERVICE_KEY, SITE_URL, QUEUE, WHEN_AWAY, PORT } = process.env;

export const port = Number(PORT ?? 3000);

export const options: GateOptions = {
  openseat: OPENSEAT_URL ?? "http://localhost:8080",
  queue: QUEUE ?? "shop",
  serviceKey: OPENSEAT_SERVICE_KEY,
  site: SITE_URL ?? `http://localhost:${port}`,
  whenAway: WHEN_AWAY === "open" ? "open" : "closed",
};

export const shopPage =
  '<!doctype html><title>Shop</title><p>You are in. <form method="post" action="/buy"><button>Buy</button></form>';
