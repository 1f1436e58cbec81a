/** What was chosen on this device before; null for nothing. */
export function remembered(name: string): string | null {
  try {
    return localStorage.getItem(`openseat.${name}`);
  } catch {
    // Storage can be forbidden; the choice then holds for this page.
    return null;
  }
}

export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(`openseat.${name}`, value);
  } catch {
    // As above.
  }
}
