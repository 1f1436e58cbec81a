import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { sentenceOf } from "./openseat.ts";

const noticeMs = 7_000;
let show: (text: string) => void = () => {};

/** Shows a notice with the reason of an error. */
export function notifyError(error: unknown): void {
  show(sentenceOf(error));
}

export function Notices(): JSX.Element {
  const [notice, setNotice] = useState<{ readonly text: string } | undefined>(undefined);
  useEffect(() => {
    show = (text) => setNotice({ text });
  }, []);
  useEffect(() => {
    if (!notice) return undefined;
    const timer = setTimeout(() => setNotice(undefined), noticeMs);
    return () => clearTimeout(timer);
  }, [notice]);
  return (
    <div class="notices" role="alert">
      {notice && <p class="notice">{notice.text}</p>}
    </div>
  );
}
