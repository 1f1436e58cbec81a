import { type Crowd, type Person, personName } from "../../persons.ts";

/** Higher than every number that the stage uses. */
const firstNumber = 1_000_000;

/** An attacker with their own token, counted from 0. */
export function attackerPerson(crowd: Crowd, number: number): Person {
  return crowd.person(firstNumber + number);
}

/** The attacker's name in the token. */
export function attackerName(number: number): string {
  return personName(firstNumber + number);
}
