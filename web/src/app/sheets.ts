/** What drivers take along: shown in a tab of its own to be printed, or saved as a file. */

import { sheetPath, type Client, type SheetFormat } from "../service/client";
import { download } from "../view/elements";
import type { Run } from "./runs";

export class Sheets {
  constructor(private readonly client: Client) {}

  /** In a new tab. Tabs may only be opened while a click is fresh: it comes first, its content later. */
  async open(run: Run, vehicle: string | null): Promise<void> {
    if (run.kept && !this.client.hasToken) {
      window.open(sheetPath(run.id, "html", vehicle), "_blank", "noopener");
      return;
    }
    const tab = window.open("", "_blank");
    try {
      const page = URL.createObjectURL(await this.fetch(run, "html", vehicle));
      if (tab) tab.location.replace(page);
      else download(await this.fetch(run, "html", vehicle), "sheets.html");
      // The tab has read it long before.
      setTimeout(() => URL.revokeObjectURL(page), 60_000);
    } catch (error) {
      tab?.close();
      throw error;
    }
  }

  async save(run: Run, format: SheetFormat, vehicle: string | null, name: string): Promise<void> {
    download(await this.fetch(run, format, vehicle), `${name}.${format}`);
  }

  private fetch(run: Run, format: SheetFormat, vehicle: string | null): Promise<Blob> {
    if (run.kept) return this.client.blob(sheetPath(run.id, format, vehicle));
    return this.client.sheetOf(run.instance!.document, run.plan!, format, vehicle);
  }
}
