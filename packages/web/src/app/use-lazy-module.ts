import { useEffect, useState } from "preact/hooks";

/** Imports a module on demand. `part` is undefined until it has loaded. */
export function useLazyModule<Part>(fetchPart: () => Promise<Part>): {
  part: Part | undefined;
  problem: unknown;
} {
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
