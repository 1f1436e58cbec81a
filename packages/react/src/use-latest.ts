import { useEffect, useRef } from "react";

/** Always calls the function of the last render, so that callers may pass a new one each time. */
export function useLatest<Arguments extends readonly unknown[]>(
  call: ((...values: Arguments) => void) | undefined,
): (...values: Arguments) => void {
  const latest = useRef(call);
  useEffect(() => {
    latest.current = call;
  });
  const stable = useRef((...values: Arguments) => latest.current?.(...values));
  return stable.current;
}
