import { openseatGate } from "@openseat/gate/next";

const { OPENSEAT_URL, OPENSEAT_SERVICE_KEY, SITE_URL, QUEUE, WHEN_AWAY } = process.env;

export const gate = openseatGate({
  openseat: OPENSEAT_URL ?? "http://localhost:8080",
  queue: QUEUE ?? "shop",
  serviceKey: OPENSEAT_SERVICE_KEY,
  site: SITE_URL ?? "http://localhost:3000",
  whenAway: WHEN_AWAY === "open" ? "open" : "closed",
  bypass: ["/healthz", "/_next/static/*"],
});
