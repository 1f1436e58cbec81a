import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

/** Moves the focus to `home` when the focused element disappears. Otherwise it would jump to the top of the page. */
export function useKeptFocus(home: RefObject<HTMLElement | null>): void {
  const last = useRef<Element | null>(null);
  useEffect(() => {
    const note = (event: FocusEvent) => {
      last.current = event.target as Element;
    };
    document.addEventListener("focusin", note);
    return () => document.removeEventListener("focusin", note);
  }, []);
  useLayoutEffect(() => {
    const isLost = last.current !== null && !last.current.isConnected;
    if (!isLost || document.activeElement !== document.body) return;
    last.current = null;
    home.current?.focus({ preventScroll: true });
  });
}
