import { InstalledServer } from "./installed-server.ts";

/** A waiting room with room for everyone. */
export async function openQueue({ url }: InstalledServer): Promise<string> {
  const response = await fetch(`${url}/api/v1/queues`, {
    method: "POST",
    headers: { authorization: `Bearer ${InstalledServer.operatorKey}`, "content-type": "application/json" },
    body: JSON.stringify({ title: "Sale", maxActive: 100 }),
  });
  const { data } = (await response.json()) as { data: { queue: { id: string } } };
  return data.queue.id;
}
