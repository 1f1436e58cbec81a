import { gate } from "./gate";

export const proxy = gate;
