/** Runs the Worker named by its argument as their platform does: variables and `waitUntil` come with each request. */
import { createServer } from "node:http";

interface Worker {
  fetch(request: Request, env: object, context: object): Promise<Response>;
}

const { default: worker } = (await import(process.argv[2])) as { default: Worker };

const { OPENSEAT_URL, OPENSEAT_SERVICE_KEY, SITE_URL, QUEUE, WHEN_AWAY, PORT } = process.env;

createServer(async (received, response) => {
  const headers = new Headers();
  for (const [name, value] of Object.entries(received.headers))
    for (const each of [value ?? []].flat()) headers.append(name, each);
  const request = new Request(`http://${received.headers.host}${received.url}`, {
    method: received.method ?? "GET",
    headers,
  });
  const background: Promise<unknown>[] = [];
  const context = { waitUntil: (promise: Promise<unknown>) => void background.push(promise) };
  const env = { OPENSEAT_URL, OPENSEAT_SERVICE_KEY, SITE_URL, QUEUE, WHEN_AWAY };
  const answer = await worker.fetch(request, env, context);
  response.statusCode = answer.status;
  for (const [name, value] of answer.headers) response.appendHeader(name, value);
  response.end(Buffer.from(await answer.arrayBuffer()));
  await Promise.all(background);
}).listen(Number(PORT));
