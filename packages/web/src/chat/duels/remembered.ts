/** A choice stored on this device; null if there is none. */
export function remembered(name: string): string | null {
  try {
    return localStorage.getItem(`openseat.${name}`);
  } catch {
    // The browser may block storage. The choice then lasts until the page is closed.
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
