import apiReference from "@scalar/fastify-api-reference";
import Fastify from "fastify";

/** The script of /docs, taken from Scalar's plugin at build time so that the server does not need the plugin. */
export async function apiReferenceScript(): Promise<string> {
  const app = Fastify();
  await app.register(apiReference, { routePrefix: "/docs", configuration: { url: "/openapi.json" } });
  const { statusCode, body } = await app.inject("/docs/js/scalar.js");
  await app.close();
  if (statusCode !== 200 || body === "")
    throw new Error("The plugin for /docs no longer serves its script at js/scalar.js.");
  return body;
}
