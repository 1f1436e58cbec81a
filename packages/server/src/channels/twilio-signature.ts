import { createHmac } from "node:crypto";
import { isSameText } from "../crypto/hs256.ts";

/** The fields of a form as they came, in any order; a name may come more than once. */
export type FormFields = Iterable<readonly [name: string, value: string]>;

/**
 * What Twilio writes into `X-Twilio-Signature`: the address, then the name and value of each field by the order of
 * names. Of a name with several values each different one counts once, in order, as in Twilio's own libraries.
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

/** Whether a request to this address with these fields was signed by whoever knows the token. */
export function isSignedByTwilio(
  signature: string,
  { token, url, fields }: { readonly token: string; readonly url: string; readonly fields: FormFields },
): boolean {
  const all = [...fields];
  return addressForms(url).some((form) => isSameText(signature, twilioSignature(token, form, all)));
}

const portPattern = /^(https?):\/\/([^/?#]*?)(:\d+)?(?=[/?#]|$)/;

/**
 * Twilio signs some requests with the port in the address and others without: both are good. Cut out of the text
 * rather than parsed: a parser would write some characters of the query otherwise than they were signed.
 */
function addressForms(url: string): string[] {
  const [origin, scheme, host, port = scheme === "https" ? ":443" : ":80"] = portPattern.exec(url)!;
  const rest = url.slice(origin.length);
  return [`${scheme}://${host}${rest}`, `${scheme}://${host}${port}${rest}`];
}

/** By code units, whatever the language of the machine. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
