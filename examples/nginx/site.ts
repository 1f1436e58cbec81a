import { createServer } from "node:http";

const { PORT = "3000" } = process.env;

/** A shop that can serve only a few visitors at once. All it knows of Openseat is one header. */
const site = createServer((request, response) => {
  response.setHeader("Content-Type", "text/html; charset=utf-8");
  if (request.method === "POST" && request.url === "/buy") {
    // This visitor is done, so let the next one in.
    response.setHeader("Openseat-Session", "complete");
    response.end(page("Thank you!", '<p><a href="/">Come again.</a></p>'));
    return;
  }
  response.end(page("You are in", '<form method="post" action="/buy"><button>Buy</button></form>'));
});

function page(heading: string, content: string): string {
  return `<!doctype html><html lang="en"><title>Shop</title><h1>${heading}</h1>${content}</html>`;
}

site.listen(Number(PORT), "127.0.0.1", () => {
  const address = site.address();
  console.log(`The shop is open on port ${typeof address === "object" && address?.port}.`);
});
