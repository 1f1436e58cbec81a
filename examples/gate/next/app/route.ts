// A page would do as well. The proxy guards every route.
export const dynamic = "force-dynamic";

export function GET(): Response {
  return new Response("You are in.", { headers: { "Content-Type": "text/html" } });
}
