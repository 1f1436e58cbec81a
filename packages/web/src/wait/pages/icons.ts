import { Html } from "../../html.ts";

function drawing(paths: string): Html {
  return new Html(
    `<svg viewBox="0 0 24 24" width="24" height="24" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${paths}</svg>`,
  );
}

/** A seat, seen from the side. */
export const seatIcon: Html = drawing('<path d="M7 4v9h10M7 13v7M17 13v7"/>');
export const shieldIcon: Html = drawing(
  '<path d="M12 3l7 2.6v5.6c0 4.4-2.9 7.9-7 9.8-4.1-1.9-7-5.4-7-9.8V5.6z"/><path d="M8.8 12l2.3 2.3 4.2-4.6"/>',
);
export const checkIcon: Html = drawing('<path class="stroke" pathLength="1" d="M5 12.5l4.7 4.7L19 7.5"/>');
export const doorIcon: Html = drawing('<path d="M6 21V4.5L15 3v18M15 5h3.5v16M4 21h17M11.5 12v.01"/>');
export const clockIcon: Html = drawing('<circle cx="12" cy="12" r="8.5"/><path d="M12 7.2V12l3.2 2"/>');
export const devicesIcon: Html = drawing(
  '<rect x="3" y="5" width="13" height="10" rx="1.5"/><path d="M6.5 19H11"/><rect x="15" y="9" width="6" height="11" rx="1.5"/>',
);

function favicon(paper: string, path: string): string {
  return `data:image/svg+xml,${encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 22 22"><rect width="22" height="22" rx="6" fill="${paper}"/><path d="${path}" fill="none" stroke="#fff" stroke-width="2.2" stroke-linecap="round" stroke-linejoin="round"/></svg>`,
  )}`;
}

export const waitingFavicon: string = favicon("#0b6350", "M7.5 4.5v8h7M7.5 12.5v5M14.5 12.5v5");
/** Another colour and shape, to stand out among many tabs. */
export const yourTurnFavicon: string = favicon("#c2410c", "M5.5 11.5l3.7 3.7L16.5 7.5");
