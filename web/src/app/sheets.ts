/** What drivers take along: shown in a tab of its own to be printed, or saved as a file. */

import { sheetPath, type Client, type SheetFormat } from "../service/client";
import { download } from "../view/elements";
import { restOf } from "./rests";
import { isGone, type Run } from "./runs";

export class Sheets {
  constructor(private readonly client: Client) {}

  /** In a new tab. Tabs may only be opened while a click is fresh: it comes first, its content later. */
  async open(run: Run, vehicle: string | null): Promise<void> {
    const tab = window.open("", "_blank");
    try {
      if (tab && !this.client.hasToken && (await this.isThere(run))) {
        tab.opener = null;
        tab.location.replace(sheetPath(run.id, "html", vehicle));
        return;
      }
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

  private async isThere(run: Run): Promise<boolean> {
    try {
      if (run.kept) await this.client.job(run.id);
    } catch (error) {
      if (!isGone(error)) throw error;
      run.kept = false;
    }
    return run.kept;
  }

  /** A plan that the service has lost is still here. */
  private async fetch(run: Run, format: SheetFormat, vehicle: string | null): Promise<Blob> {
    try {
      if (run.kept) return await this.client.blob(sheetPath(run.id, format, vehicle));
    } catch (error) {
      if (!isGone(error)) throw error;
      run.kept = false;
    }
    const { document } = run.instance!;
    return this.client.sheetOf(document, run.plan!, format, vehicle, restOf(document));
  }
}
