/** What leaves the desk: sheets for drivers, links for colleagues, files. */

import { ServiceError, type Client, type SheetFormat } from "../service/client";
import { byId, download, setText } from "../view/elements";
import type { Desk } from "./desk";
import { tellNoAddress } from "./places";
import { picture } from "./picture";
import { isGone, isLive } from "./runs";
import { Sheets } from "./sheets";
import type { Stage } from "./stage";
import { fileWord, objectiveWords, titleWords } from "./words";

export class HandOut {
  private readonly sheets: Sheets;

  constructor(
    private readonly desk: Desk,
    private readonly client: Client,
    private readonly stage: Stage,
  ) {
    this.sheets = new Sheets(client);
    byId("share").addEventListener("click", () => void this.share());
    byId("sheet").addEventListener("click", () => void this.openSheet(-1));
    byId("sheet-own").addEventListener("click", () => void this.openSheet(desk.pinned));
    for (const format of ["xlsx", "csv", "gpx", "geojson"] as const) {
      byId(`sheet-${format}`).addEventListener("click", () => void this.saveSheet(format, -1));
    }
    for (const format of ["csv", "gpx"] as const) {
      byId(`${format}-own`).addEventListener("click", () => void this.saveSheet(format, desk.pinned));
    }
    byId("save-plan").addEventListener("click", () => this.savePlan());
    byId("save-problem").addEventListener("click", () => this.saveProblem());
    byId("save-picture").addEventListener("click", () => void this.savePicture());
  }

  private async openSheet(vehicle: number): Promise<void> {
    const run = this.desk.shown;
    if (!run?.plan) return;
    await this.desk.attempt("The sheets cannot be made", () => this.sheets.open(run, this.desk.vehicleName(vehicle)));
  }

  private async saveSheet(format: SheetFormat, vehicle: number): Promise<void> {
    const run = this.desk.shown;
    if (!run?.plan) return;
    const own = this.desk.vehicleName(vehicle);
    const parts = [this.fileName(), ...(own === null ? [] : [fileWord(own)]), ...(isLive(run) ? ["preliminary"] : [])];
    const name = parts.join("-");
    await this.desk.attempt("The sheets cannot be made", () => this.sheets.save(run, format, own, name));
  }

  private async share(): Promise<void> {
    const run = this.desk.shown;
    try {
      if (run) await this.client.job(run.id);
    } catch (error) {
      if (isGone(error)) return tellNoAddress(this.desk, run!);
      if (!(error instanceof ServiceError)) throw error; // a service that is down may come back
    }
    try {
      await navigator.clipboard.writeText(location.href);
      this.desk.announce("The link is copied");
      setText(byId("share"), "Copied");
    } catch {
      // Browsers copy only for pages that came over HTTPS or from this machine.
      setText(byId("share"), "Copy it from the address bar");
    }
    setTimeout(() => setText(byId("share"), "Copy link"), 2500);
  }

  private savePlan(): void {
    const plan = this.desk.shown?.plan;
    if (plan) saveJson(plan, `${this.fileName()}.plan.json`);
  }

  private saveProblem(): void {
    if (this.desk.instance) saveJson(this.desk.instance.document, `${this.fileName()}.json`);
  }

  private async savePicture(): Promise<void> {
    const routes = this.desk.routes();
    if (!routes) return;
    const blob = await picture(this.stage.map, this.stage.schedule, this.desk.ink, {
      title: titleWords(routes.instance, this.desk.shown).join(""),
      objective: this.desk.shown && !this.desk.construction.moment ? objectiveWords(this.desk.shown) : "",
      vehicles: routes.vehicles.length,
    });
    download(blob, `${this.fileName()}.png`);
  }

  private fileName(): string {
    const { instance, shown } = this.desk;
    return fileWord(instance ? titleWords(instance, shown)[0] : "plan");
  }
}

function saveJson(value: unknown, name: string): void {
  download(new Blob([`${JSON.stringify(value, null, 1)}\n`], { type: "application/json" }), name);
}
