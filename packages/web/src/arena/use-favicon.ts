import { useEffect } from "preact/hooks";

const sign = "M5.5 11.5l3.7 3.7L16.5 7.5";
/** Another colour and shape, to stand out among many tabs. */
const yourTurn = `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 22 22"><rect width="22" height="22" rx="6" fill="#c2410c"/><path d="${sign}" fill="none" stroke="#fff" stroke-width="2.2" stroke-linecap="round" stroke-linejoin="round"/></svg>`,
)}`;

/** Changes the icon of the tab while it is the viewer's turn. */
export function useFavicon(isYourTurn: boolean): void {
  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (!isYourTurn || !link) return undefined;
    const usual = link.href;
    link.href = yourTurn;
    return () => {
      link.href = usual;
    };
  }, [isYourTurn]);
}
