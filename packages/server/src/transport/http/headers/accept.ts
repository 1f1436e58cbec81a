/** The weight that an `Accept…` header gives a value: 0 if it is refused, undefined if it is not listed. */
export function weightIn(header: string | undefined, value: string): number | undefined {
  if (header === undefined || !header.toLowerCase().includes(value)) return undefined;
  for (const part of header.toLowerCase().split(",")) {
    const [name, ...parameters] = part.split(";").map((piece) => piece.trim());
    if (name !== value) continue;
    const weight = parameters.find((parameter) => parameter.startsWith("q="));
    const given = weight === undefined ? 1 : Number(weight.slice(2));
    return given >= 0 && given <= 1 ? given : 0;
  }
  return undefined;
}

export function encodingFor(header: string | undefined): "br" | "gzip" | undefined {
  if (header === undefined) return undefined;
  const br = weightIn(header, "br") ?? 0;
  const gzip = weightIn(header, "gzip") ?? weightIn(header, "*") ?? 0;
  if (br === 0 && gzip === 0) return undefined;
  return br >= gzip ? "br" : "gzip";
}
