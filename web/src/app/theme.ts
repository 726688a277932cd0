/** Dark or light: as the system says, until the user says otherwise. */

import type { Theme } from "../model/palette";

const KEY = "geopar-theme";

export class ThemeSwitch {
  current: Theme = "light";
  private readonly system = window.matchMedia("(prefers-color-scheme: dark)");

  constructor(private readonly changed: () => void) {
    this.apply();
    this.system.addEventListener("change", () => this.apply());
  }

  toggle(): void {
    const next: Theme = this.current === "dark" ? "light" : "dark";
    const usual: Theme = this.system.matches ? "dark" : "light";
    if (next === usual) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, next);
    this.apply();
  }

  private apply(): void {
    const kept = localStorage.getItem(KEY);
    const dark = kept === "dark" || (kept !== "light" && this.system.matches);
    this.current = dark ? "dark" : "light";
    document.documentElement.dataset["theme"] = this.current;
    this.changed();
  }
}
