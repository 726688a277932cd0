/** The colours of the page as canvases need them, read from the style sheet. */

import { mix, palette, type Theme } from "../model/palette";

export interface Ink {
  readonly theme: Theme;
  readonly paper: string;
  readonly panel: string;
  readonly line: string;
  readonly grid: string;
  readonly text: string;
  readonly quiet: string;
  readonly accent: string;
  readonly alarm: string;
  readonly vehicles: string[];
  /** Every second and third trip of a vehicle is a little paler. */
  readonly trips: string[][];
}

export const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif';

/** With a colour for each vehicle, by its place in the fleet. */
export function readInk(theme: Theme, seats: readonly number[], fleet: number): Ink {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const all = palette(fleet, theme);
  const own = seats.map((seat) => all[seat]!);
  const panel = colour("panel");
  const towards = theme === "light" ? "#ffffff" : "#171c21";
  return {
    theme,
    paper: colour("paper"),
    panel,
    line: colour("line"),
    grid: colour("grid"),
    text: colour("text"),
    quiet: colour("quiet"),
    accent: colour("accent"),
    alarm: colour("alarm"),
    vehicles: own,
    trips: own.map((each) => [each, mix(each, towards, 0.34), mix(each, towards, 0.17)]),
  };
}
