/** What the gate answers instead of the site. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: readonly string[];
  readonly body: string;
}

const basics = { "Cache-Control": "no-store" };
const htmlBasics = {
  "Content-Type": "text/html; charset=utf-8",
  "Referrer-Policy": "no-referrer",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
};

const retrySeconds = 5;

/** GET and HEAD go to the new address; other methods repeat there what they sent here. */
export function goTo(address: string, method: string, cookies: readonly string[] = []): Answer {
  const isRead = method === "GET" || method === "HEAD";
  return { status: isRead ? 303 : 307, headers: { ...basics, Location: address }, cookies, body: "" };
}

/** To the waiting page, which is a page for every method. */
export function wait(address: string): Answer {
  return { status: 303, headers: { ...basics, Location: address }, cookies: [], body: "" };
}

export function waitJson(address: string): Answer {
  const message = "You have no session here. Enter the waiting room first.";
  const body = { code: "session.missing", message, statusCode: 401, data: { waitingRoom: address } };
  return json(401, { "Openseat-Wait": address }, body);
}

/** The page reloads `address`, or itself. */
export function comeAgain(isApiCall: boolean, address?: string): Answer {
  const headers = { "Retry-After": String(retrySeconds) };
  const message =
    "We cannot reach the waiting room right now. If you have a place in the line, you keep it. Please try again in a moment.";
  if (isApiCall) return json(503, headers, { code: "gate.away", message, statusCode: 503, retryable: true });
  const refresh = { Refresh: address === undefined ? `${retrySeconds}` : `${retrySeconds}; url=${address}` };
  const body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>One moment, please</title>
<h1>One moment, please</h1>
<p>We cannot reach the waiting room right now. If you have a place in the line, you keep it. This page tries again by itself.</p>
</html>
`;
  return { status: 503, headers: { ...basics, ...htmlBasics, ...headers, ...refresh }, cookies: [], body };
}

export const notHere: Answer = {
  status: 400,
  headers: { ...basics, "Content-Type": "text/plain; charset=utf-8" },
  cookies: [],
  body: "This is not an address of this site.\n",
};

function json(status: number, headers: Record<string, string>, body: object): Answer {
  return {
    status,
    headers: { ...basics, "Content-Type": "application/json; charset=utf-8", ...headers },
    cookies: [],
    body: JSON.stringify({ success: false, ...body }),
  };
}
