export function ahead(people: number): string {
  if (people === 0) return "you are next";
  return people === 1 ? "1 person is ahead" : `${people} people are ahead`;
}
