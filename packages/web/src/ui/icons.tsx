import type { ComponentChildren, JSX } from "preact";

export function Drawing({
  children,
  size = 24,
}: {
  readonly children: ComponentChildren;
  readonly size?: number;
}) {
  return (
    <svg
      viewBox="0 0 24 24"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      stroke-width="1.75"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      {children}
    </svg>
  );
}

/** The logo: a seat from the side, with a person. */
export function SeatMark(): JSX.Element {
  return (
    <Drawing>
      <path d="M7 4v9h10M7 13v7M17 13v7" />
      <circle cx="14.5" cy="7" r="1.6" fill="currentColor" stroke="none" />
    </Drawing>
  );
}

export function PencilIcon(): JSX.Element {
  return (
    <Drawing size={16}>
      <path d="M4 20l1-4.5L16.5 4 20 7.5 8.5 19z" />
    </Drawing>
  );
}

export function SoundIcon({ isOn }: { readonly isOn: boolean }): JSX.Element {
  return (
    <Drawing size={22}>
      <path d="M4 9.5v5h3.5L12 18.5v-13L7.5 9.5z" />
      {isOn ? (
        <path d="M15.5 9a4.2 4.2 0 010 6M18 6.5a7.8 7.8 0 010 11" />
      ) : (
        <path d="M16 9.5l5 5M21 9.5l-5 5" />
      )}
    </Drawing>
  );
}

export function FlameIcon(): JSX.Element {
  return (
    <svg viewBox="0 0 24 24" width="16" height="16" fill="currentColor" aria-hidden="true">
      <path d="M12.5 2.5c.6 3.4 5.5 5.6 5.5 11a6 6 0 01-12 .2c0-2.3 1-3.9 2.3-5.3.2 1.5.8 2.4 1.7 2.9-.3-3.3.5-6.4 2.5-8.8z" />
    </svg>
  );
}

export function ArrowIcon(): JSX.Element {
  return (
    <Drawing size={18}>
      <path d="M5 12h14M13 6l6 6-6 6" />
    </Drawing>
  );
}

/** Icons of rock, paper and scissors. */
const throws: Readonly<Record<string, ComponentChildren>> = {
  rock: <path d="M5 16.5l-1-4 3-5.5 5-2 5.5 2.5 2.5 5-2.5 5.5-6.5 1.5zM9 9.5l3.5 1.5 1 4M12.5 11l4-1.5" />,
  paper: <path d="M6.5 3.5h8l3.5 3.5v13.5h-11.5zM14.5 3.5v3.5h3.5M9.5 11h5M9.5 14h5M9.5 17h3" />,
  scissors: (
    <>
      <circle cx="6.5" cy="18" r="2.6" />
      <circle cx="17.5" cy="18" r="2.6" />
      <path d="M8 15.8L16.5 3.5M16 15.8L7.5 3.5" />
    </>
  ),
};

/** The icon of a choice, or the symbol that the game gives if there is no icon. */
export function ChoiceIcon({
  move,
  symbol,
  size = 48,
}: {
  readonly move: string;
  readonly symbol: string;
  readonly size?: number;
}): JSX.Element {
  const drawn = throws[move];
  if (drawn) return <Drawing size={size}>{drawn}</Drawing>;
  return (
    <span class="symbol" aria-hidden="true">
      {symbol}
    </span>
  );
}

/** The picture on a room's card, by the game of an arena or the kind of room. */
export function RoomPicture({ game }: { readonly game: string | null }): JSX.Element {
  switch (game) {
    case "tic-tac-toe":
      return (
        <Drawing size={40}>
          <path d="M4 4l5.5 5.5M9.5 4L4 9.5M14.5 14.5L20 20M20 14.5L14.5 20" />
          <circle class="second" cx="17.2" cy="6.8" r="2.9" />
          <circle class="second" cx="6.8" cy="17.2" r="2.9" />
        </Drawing>
      );
    case "connect-four":
      return (
        <Drawing size={40}>
          <circle cx="6.5" cy="17.5" r="3.2" fill="currentColor" />
          <circle class="second filled" cx="17.5" cy="17.5" r="3.2" />
          <circle cx="17.5" cy="6.5" r="3.2" fill="currentColor" />
          <circle cx="6.5" cy="6.5" r="3.2" />
        </Drawing>
      );
    case "rock-paper-scissors":
      return <Drawing size={40}>{throws.scissors}</Drawing>;
    case "seats":
      return (
        <Drawing size={40}>
          <path d="M5 4.5h4v4H5zM5 15.5h4v4H5zM15 15.5h4v4h-4zM4 3.5h6M4 14.5h6M14 14.5h6" />
          <path class="second" d="M15 4.5h4v4h-4zM14 3.5h6" />
        </Drawing>
      );
    case "ladder":
      return (
        <Drawing size={40}>
          <path d="M7 3v18M17 3v18M7 11h10M7 16h10" />
          <path class="second" d="M7 6h10" />
        </Drawing>
      );
    case "chat":
      return (
        <Drawing size={40}>
          <path d="M4 5h16v11h-9l-4 4v-4H4z" />
          <path class="second" d="M8 9h8M8 12h5" />
        </Drawing>
      );
    case "line":
      return (
        <Drawing size={40}>
          <path d="M17.5 4v16M17.5 12h3.5" />
          <circle class="second filled" cx="12.5" cy="12" r="1.8" />
          <circle cx="7.5" cy="12" r="1.8" />
          <circle cx="2.8" cy="12" r="1.8" />
        </Drawing>
      );
    default:
      return (
        <Drawing size={40}>
          <path d="M5 5v8h6M5 13v6M11 13v6" />
          <path class="second" d="M19 5v8h-6M19 13v6M13 13v6" />
        </Drawing>
      );
  }
}
