import assert from "node:assert/strict";

/**
 * FIDE Handbook B.02, 8.1.2: lowest difference, highest difference, expected score of the higher rated player in
 * hundredths.
 */
const table = `
  0-3 50, 4-10 51, 11-17 52, 18-25 53, 26-32 54, 33-39 55, 40-46 56, 47-53 57, 54-61 58, 62-68 59, 69-76 60,
  77-83 61, 84-91 62, 92-98 63, 99-106 64, 107-113 65, 114-121 66, 122-129 67, 130-137 68, 138-145 69, 146-153 70,
  154-162 71, 163-170 72, 171-179 73, 180-188 74, 189-197 75, 198-206 76, 207-215 77, 216-225 78, 226-235 79,
  236-245 80, 246-256 81, 257-267 82, 268-278 83, 279-290 84, 291-302 85, 303-315 86, 316-328 87, 329-344 88,
  345-357 89, 358-374 90, 375-391 91, 392-411 92, 412-432 93, 433-456 94, 457-484 95, 485-517 96, 518-559 97,
  560-619 98, 620-735 99, 736-800 100`;

/** The expected score of the higher rated player in hundredths, for each whole difference from 0 to 800. */
export const hundredths: number[] = [];
for (const range of table.split(",")) {
  const [from, to, chance] = range.trim().split(/[- ]/).map(Number);
  assert.equal(from, hundredths.length, "a gap in the table");
  for (let difference = from; difference <= to; difference++) hundredths.push(chance);
}
