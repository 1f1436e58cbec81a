import { type Crowd, type Person, personName } from "../../persons.ts";

/** Beyond everybody whom the stage knows. */
const firstNumber = 1_000_000;

/** An attacker with a token of their own, counted from 0. */
export function attackerPerson(crowd: Crowd, number: number): Person {
  return crowd.person(firstNumber + number);
}

/** Who that is to the server. */
export function attackerName(number: number): string {
  return personName(firstNumber + number);
}
