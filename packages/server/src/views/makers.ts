/** The person who created a room; null for a service or an operator, whose names begin with `@`. */
export function makerOf({ creator }: { readonly creator: string }): string | null {
  return creator.startsWith("@") ? null : creator;
}
