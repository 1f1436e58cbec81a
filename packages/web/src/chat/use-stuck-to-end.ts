import type { RefObject } from "preact";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { isAtEnd } from "./conversation-lines.ts";

interface Stuck {
  /** Whether a reader who has scrolled up is missing new messages. */
  readonly hasNews: boolean;
  readonly toEnd: () => void;
}

/** Keeps the end in view while `count` grows, unless the reader has scrolled away from it. */
export function useStuckToEnd(box: RefObject<HTMLElement | null>, count: number): Stuck {
  const before = useRef({ clientHeight: 0, scrollHeight: 0, count: 0 });
  const [hasNews, setNews] = useState(false);
  const toEnd = useCallback(() => box.current?.scrollTo({ top: box.current.scrollHeight }), [box]);
  /** Compares the scroll position with the previous size, because scroll events may arrive too late. */
  const settle = useCallback(() => {
    const element = box.current;
    if (!element) return;
    if (isAtEnd({ ...before.current, scrollTop: element.scrollTop })) toEnd();
    else if (count > before.current.count) setNews(true);
    const { clientHeight, scrollHeight } = element;
    before.current = { clientHeight, scrollHeight, count };
  }, [box, count, toEnd]);
  useLayoutEffect(settle);
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const note = () => isAtEnd(element) && setNews(false);
    element.addEventListener("scroll", note, { passive: true });
    return () => element.removeEventListener("scroll", note);
  }, [box]);
  useEffect(() => {
    // Stay at the end when a phone's keyboard opens and halves the height.
    const resized = new ResizeObserver(settle);
    if (box.current) resized.observe(box.current);
    return () => resized.disconnect();
  }, [box, settle]);
  return { hasNews, toEnd };
}
