import { createHmac } from "node:crypto";
import { isSameText } from "../crypto/hs256.ts";

export type FormFields = Iterable<readonly [name: string, value: string]>;

/**
 * The `X-Twilio-Signature`: the address, then the name and value of each field, sorted by name. Different values of the same name
 * count once each, in order, as in Twilio's own libraries.
 */
export function twilioSignature(token: string, url: string, fields: FormFields): string {
  const signed = [...fields]
    .sort(([name, value], [otherName, otherValue]) => compare(name, otherName) || compare(value, otherValue))
    .filter(([name, value], index, all) => name !== all[index - 1]?.[0] || value !== all[index - 1][1])
    .map(([name, value]) => name + value);
  return createHmac("sha1", token)
    .update(url + signed.join(""))
    .digest("base64");
}

export function isSignedByTwilio(
  signature: string,
  { token, url, fields }: { readonly token: string; readonly url: string; readonly fields: FormFields },
): boolean {
  const all = [...fields];
  return addressForms(url).some((form) => isSameText(signature, twilioSignature(token, form, all)));
}

const portPattern = /^(https?):\/\/([^/?#]*?)(:\d+)?(?=[/?#]|$)/;

/** Twilio signs some requests with the port and others without. A URL parser would change characters of the query. */
function addressForms(url: string): string[] {
  const [origin, scheme, host, port = scheme === "https" ? ":443" : ":80"] = portPattern.exec(url)!;
  const rest = url.slice(origin.length);
  return [`${scheme}://${host}${rest}`, `${scheme}://${host}${port}${rest}`];
}

/** By code units, whatever the locale. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
