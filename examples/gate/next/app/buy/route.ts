import { gate } from "../../gate";

export async function POST(request: Request): Promise<Response> {
  // This visitor is done, so let the next one in.
  const { cookie } = await gate.complete(request);
  return new Response("Thank you!", { headers: { "Set-Cookie": cookie } });
}
