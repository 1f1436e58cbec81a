/** Commands that create an arena from a terminal, without any key. */
export function exampleOf(origin: string): string {
  return `TOKEN=$(curl -s -X POST ${origin}/api/v1/guests | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')
curl ${origin}/api/v1/arenas \\
  -H "Authorization: Bearer $TOKEN" \\
  -H "Content-Type: application/json" \\
  -d '{"title": "Tic-tac-toe", "game": "tic-tac-toe"}'`;
}
