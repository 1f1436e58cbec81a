/** The lanes of the people entering, in rotation (0 normal, 1 elevated, 2 VIP, 3 premium). */
export type LineMix = { readonly name: string; readonly lanes: readonly number[] };

export const lineMixes: readonly LineMix[] = [
  { name: "everybody normal", lanes: [0] },
  { name: "everybody VIP", lanes: [2] },
  { name: "everybody premium", lanes: [3] },
  { name: "all lanes in rotation", lanes: [0, 2, 3, 1] },
];
