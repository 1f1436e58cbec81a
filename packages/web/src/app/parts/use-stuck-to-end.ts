import type { RefObject } from "preact";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { isAtEnd } from "../logic/conversation.ts";

interface Stuck {
  /** Whether something has come at the end that the reader, who has scrolled up, cannot see. */
  readonly hasNews: boolean;
  readonly toEnd: () => void;
}

/** Keeps the end in view while `count` grows, unless the reader has scrolled away from it. */
export function useStuckToEnd(box: RefObject<HTMLElement | null>, count: number): Stuck {
  const isStuck = useRef(true);
  const [hasNews, setNews] = useState(false);
  const toEnd = useCallback(() => {
    isStuck.current = true;
    setNews(false);
    box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [box]);
  useLayoutEffect(() => {
    if (isStuck.current) toEnd();
    else setNews(true);
  }, [count, toEnd]);
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const note = () => {
      isStuck.current = isAtEnd(element);
      if (isStuck.current) setNews(false);
    };
    // The keyboard of a phone takes half of the room; what was read last stays in sight.
    const resized = new ResizeObserver(() => isStuck.current && toEnd());
    element.addEventListener("scroll", note, { passive: true });
    resized.observe(element);
    return () => {
      element.removeEventListener("scroll", note);
      resized.disconnect();
    };
  }, [box, toEnd]);
  return { hasNews, toEnd };
}
