import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

/** A chart on the page. */
export interface DrawnChart {
  show(ratings: readonly number[]): void;
  remove(): void;
}

const heightPx = 240;
/** The smallest range of the axis, so that small changes look small. */
const spanMin = 40;

/** Draws a rating match by match, in the colours of the page and as wide as its container. */
export function drawRating(
  place: HTMLElement,
  ratings: readonly number[],
  onPoint: (index: number | undefined) => void,
): DrawnChart {
  let shown = ratings;
  const draw = () => new uPlot(optionsFor(place, onPoint), dataOf(shown), place);
  let plot = draw();
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  const recolour = () => {
    plot.destroy();
    plot = draw();
  };
  scheme.addEventListener("change", recolour);
  const sizes = new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height: heightPx }));
  sizes.observe(place);
  return {
    show(next) {
      shown = next;
      plot.setData(dataOf(next));
    },
    remove() {
      scheme.removeEventListener("change", recolour);
      sizes.disconnect();
      plot.destroy();
    },
  };
}

function dataOf(ratings: readonly number[]): uPlot.AlignedData {
  return [ratings.map((_, index) => index), [...ratings]];
}

function optionsFor(place: HTMLElement, onPoint: (index: number | undefined) => void): uPlot.Options {
  const style = getComputedStyle(place);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const font = `12px ${style.fontFamily}`;
  const axis = {
    stroke: colour("soft"),
    font,
    ticks: { show: false },
    grid: { stroke: colour("line"), width: 1 },
  };
  return {
    width: place.clientWidth,
    height: heightPx,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 9 } },
    scales: { x: { time: false }, y: { range: (_, low, high) => rangeOf(low, high) } },
    axes: [
      {
        ...axis,
        ...{ label: "Matches", labelFont: font, labelGap: 0, labelSize: 20, size: 28 },
        ...{ grid: { show: false }, incrs: [1, 2, 5, 10, 20, 50, 100], space: 48 },
      },
      // Ratings have no thousands separators anywhere on the pages.
      {
        ...axis,
        size: 48,
        incrs: [5, 10, 20, 50, 100, 200, 500, 1_000],
        values: (_, ratings) => ratings.map(String),
      },
    ],
    series: [
      {},
      {
        stroke: colour("accent"),
        width: 2,
        fill: `color-mix(in srgb, ${colour("accent")} 10%, transparent)`,
        points: { size: 5, fill: colour("accent") },
      },
    ],
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)] },
  };
}

/** The range of the axis, with some room above and below. */
function rangeOf(low: number, high: number): [low: number, high: number] {
  const room = Math.max((spanMin - (high - low)) / 2, (high - low) * 0.08, 4);
  return [low - room, high + room];
}
