/** When something was, as one would say it today. */

const DAY = 24 * 3600 * 1000;

/** "14:05" of today, "Mon 14:05" of this week, "3 Nov" before that. */
export function whenText(then: Date, now: Date): string {
  const clock = then.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  if (then.toDateString() === now.toDateString()) return clock;
  if (Math.abs(now.getTime() - then.getTime()) < 6 * DAY) {
    return `${then.toLocaleDateString("en-GB", { weekday: "short" })} ${clock}`;
  }
  return then.toLocaleDateString("en-GB", { day: "numeric", month: "short" });
}
