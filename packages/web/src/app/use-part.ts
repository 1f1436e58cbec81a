import { useEffect, useState } from "preact/hooks";

/** A part of the pages that is fetched only where it is needed; undefined until it is here. */
export function usePart<Part>(fetchPart: () => Promise<Part>): { part: Part | undefined; problem: unknown } {
  const [state, setState] = useState<{ part: Part | undefined; problem: unknown }>({
    part: undefined,
    problem: undefined,
  });
  useEffect(() => {
    let isOver = false;
    fetchPart().then(
      (part) => isOver || setState({ part, problem: undefined }),
      (problem: unknown) => isOver || setState({ part: undefined, problem }),
    );
    return () => {
      isOver = true;
    };
  }, [fetchPart]);
  return state;
}
