import type { Openseat } from "@openseat/client";
import { createContext, createElement, type ReactNode, useContext } from "react";

const OpenseatContext = createContext<Openseat | undefined>(undefined);

export interface OpenseatProviderProps {
  /** Create it once, outside your components. Its owner closes it. */
  readonly client: Openseat;
  readonly children?: ReactNode;
}

/** Gives its client to all hooks below it. */
export function OpenseatProvider({ client, children }: OpenseatProviderProps): ReactNode {
  return createElement(OpenseatContext.Provider, { value: client }, children);
}

/** The client of the nearest `OpenseatProvider`. */
export function useOpenseat(): Openseat {
  const client = useContext(OpenseatContext);
  if (!client) throw new Error("Wrap your app in <OpenseatProvider client={openseat}>.");
  return client;
}
