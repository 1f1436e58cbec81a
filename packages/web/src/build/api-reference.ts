import apiReference from "@scalar/fastify-api-reference";
import Fastify from "fastify";

/**
 * The script that shows /docs, as Scalar's plugin serves it. Taken from the plugin when the pages are built, so that neither is
 * needed at run time.
 */
export async function apiReferenceScript(): Promise<string> {
  const app = Fastify();
  await app.register(apiReference, { routePrefix: "/docs", configuration: { url: "/openapi.json" } });
  const { statusCode, body } = await app.inject("/docs/js/scalar.js");
  await app.close();
  if (statusCode !== 200 || body === "")
    throw new Error("The plugin for /docs no longer serves its script at js/scalar.js.");
  return body;
}
