/** "1 person", "2 people". */
export function counted(amount: number, one: string, many: string): string {
  return `${grouped(amount)} ${amount === 1 ? one : many}`;
}

export function people(amount: number): string {
  return counted(amount, "person", "people");
}

/** "3 people are ahead of you." */
export function ahead(amount: number): string {
  return `${people(amount)} ${amount === 1 ? "is" : "are"} ahead of you.`;
}

export function grouped(amount: number): string {
  return amount.toLocaleString("en");
}

/** "Ann", "Ann and Bob", "Ann, Bob and Cleo". */
export function listed(names: readonly string[]): string {
  if (names.length < 2) return names.join("");
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** The title of a game of which only the name is known, such as "tic-tac-toe". */
export function gameTitle(name: string | null): string {
  if (name === null) return "Played elsewhere";
  const words = name.replaceAll("-", " ");
  const known: Readonly<Record<string, string>> = {
    "tic-tac-toe": "Tic-tac-toe",
    "rock-paper-scissors": "Rock, paper, scissors",
  };
  return known[name] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** "0:07", "1:05:00". Rounded up, so that 0:00 means that the time has run out. */
export function clockFace(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  const two = (value: number) => String(value).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** "12 seconds", "3 minutes", "2 hours". */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 60) return counted(seconds, "second", "seconds");
  if (seconds < 3_600) return counted(Math.round(seconds / 60), "minute", "minutes");
  if (seconds < 172_800) return counted(Math.round(seconds / 3_600), "hour", "hours");
  return counted(Math.round(seconds / 86_400), "day", "days");
}

/** Roughly how long ago something was. */
export function ago(then: string, nowMs: number): string {
  const ms = nowMs - Date.parse(then);
  return ms < 10_000 ? "just now" : `${span(ms)} ago`;
}

/** "3 wins in a row"; empty without a win. */
export function streak(wins: number): string {
  if (wins < 1) return "";
  return wins === 1 ? "1 win" : `${grouped(wins)} wins in a row`;
}

/** "3 May 2030", in the reader's time zone. */
export function dayShown(time: string): string {
  return new Date(time).toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" });
}

/** Ratings are shown as whole numbers without separators. */
export function ratingShown(rating: number): string {
  return String(Math.round(rating));
}
