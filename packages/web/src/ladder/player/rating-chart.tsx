import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { DrawnChart } from "./draw-rating.ts";
import { courseText, pointText, type RatingCourse } from "./rating-course.ts";

/** A rating over time as a line chart, with a text for screen readers. */
export function RatingChart({ course }: { readonly course: RatingCourse }): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<DrawnChart | undefined>(undefined);
  const latest = useRef(course);
  const [pointed, setPointed] = useState<number | undefined>(undefined);
  latest.current = course;
  useEffect(() => {
    let isOver = false;
    // Imported on demand: the chart library is as large as all pages together.
    import("./draw-rating.ts").then(
      ({ drawRating }) => {
        if (isOver || !place.current) return;
        chart.current = drawRating(place.current, latest.current.ratings, setPointed);
      },
      // Ignore a failure: the list below shows the same data.
      () => {},
    );
    return () => {
      isOver = true;
      chart.current?.remove();
      chart.current = undefined;
    };
  }, []);
  useEffect(() => chart.current?.show(course.ratings), [course]);
  return (
    <figure class="rating-chart">
      <div ref={place} class="chart" role="img" aria-label={`The rating as a line. ${courseText(course)}`} />
      <figcaption class="soft">
        {pointed === undefined || pointed >= course.ratings.length
          ? courseText(course)
          : pointText(course, pointed)}
      </figcaption>
    </figure>
  );
}
