/** One tag per resource, in the order in which the reference shows them. */
const resources = {
  guests: ["Guests", "A token without an account."],
  games: ["Games", "Seats that people join. When all are taken, people wait in line or are refused."],
  arenas: ["Arenas", "Matches on labelled seats. The winner stays, the loser goes to the back of the line."],
  ladders: ["Ladders", "Ratings and standings. Every match counts once."],
  queues: ["Waiting rooms", "Lines in front of something scarce, with lanes, seats and a rate."],
  positions: ["Positions", "A person's place in the line of a waiting room."],
  sessions: ["Sessions", "The visit of a person who was let in."],
  gate: ["Gate", "For the proxy in front of a site: whether a visitor has been let in."],
  people: ["People", "Nicknames."],
  duels: ["Duels", "Rock, paper, scissors between two people."],
  chat: ["Chat", "Messages, groups, and deliveries that failed."],
  conversations: ["Conversations", "What a person said to Openseat, and its replies."],
  server: ["Server", "Health, metrics, keys and the live connection."],
} as const;

type Resource = keyof typeof resources;

export const tags: readonly { readonly name: string; readonly description: string }[] = Object.values(
  resources,
).map(([name, description]) => ({ name, description }));

export function tagOf(url: string): string {
  const [, first = "server"] = /^\/(?:api\/v\d+\/)?([^/]+)/.exec(url) ?? [];
  const resource = first === "nicknames" ? "people" : (first as Resource);
  return (resources[resource] ?? resources.server)[0];
}
