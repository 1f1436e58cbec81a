import { gate } from "../../gate";

export async function POST(request: Request): Promise<Response> {
  // This visitor is done, so let the next one in. Answer with the thank-you page: another request would enter the line again.
  const { cookie } = await gate.complete(request);
  return new Response("Thank you!", { headers: { "Set-Cookie": cookie } });
}
