/** Dark or light: as the system says, until the user says otherwise. */

import type { Theme } from "../model/palette";

const KEY = "geopar-theme";

export class ThemeSwitch {
  current: Theme = "light";
  /** While the page is being printed. */
  paper = false;
  private readonly system = window.matchMedia("(prefers-color-scheme: dark)");

  constructor(private readonly changed: () => void) {
    this.apply();
    this.system.addEventListener("change", () => this.apply());
    window.addEventListener("beforeprint", () => this.setPaper(true));
    window.addEventListener("afterprint", () => this.setPaper(false));
  }

  toggle(): void {
    const next: Theme = this.current === "dark" ? "light" : "dark";
    const usual: Theme = this.system.matches ? "dark" : "light";
    if (next === usual) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, next);
    this.apply();
  }

  /** Paper is white, whatever the screen is. */
  private setPaper(paper: boolean): void {
    this.paper = paper;
    this.apply();
  }

  private apply(): void {
    const kept = this.paper ? "light" : localStorage.getItem(KEY);
    const dark = kept === "dark" || (kept !== "light" && this.system.matches);
    this.current = dark ? "dark" : "light";
    document.documentElement.dataset["theme"] = this.current;
    this.changed();
  }
}
