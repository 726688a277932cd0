/** What comes onto the desk: files, examples, problems at random. */

import type { PlanDocument } from "../model/documents";
import { bytes } from "../model/format";
import type { Client } from "../service/client";
import { byId, field } from "../view/elements";
import { showComplaint } from "../view/faults";
import type { Desk } from "./desk";
import { example, EXAMPLES, listenForFiles, planIn, planWords, readOptions, type NamedFile } from "./files";
import type { HandWork } from "./handwork";
import { titleOf } from "./runs";

export class Intake {
  /** A CSV file that could not be read alone: perhaps its fleet comes next. */
  private half: NamedFile | null = null;
  /** A plan that came before its stops and vehicles. */
  private early: { plan: PlanDocument; name: string } | null = null;

  constructor(
    private readonly desk: Desk,
    private readonly client: Client,
    private readonly handWork: HandWork,
  ) {
    listenForFiles((files) => void this.read(files));
    for (const place of ["example", "empty"]) {
      for (const name of ["deliveries", "couriers", "day"] as const) {
        byId(`${place}-${name}`).addEventListener("click", () => void this.openExample(name));
      }
    }
    byId("generate").addEventListener("submit", (event) => {
      event.preventDefault();
      void this.generate();
    });
  }

  async read(all: NamedFile[]): Promise<void> {
    if (all.length === 0 || this.tooLarge(all)) return;
    const plans = await Promise.all(all.map(planIn));
    const files = all.filter((_, i) => plans[i] === null);
    const problems = files.length === 0 || (await this.readProblem(files));
    const at = plans.findIndex((plan) => plan !== null);
    if (!problems) return;
    if (at >= 0) await this.takePlan(plans[at]!, all[at]!.name);
    else if (this.early) await this.takePlan(this.early.plan, this.early.name);
  }

  /** Say so where files are more than the service takes, before they are sent, or even read. */
  private tooLarge(files: NamedFile[]): boolean {
    const size = files.reduce((sum, file) => sum + file.data.size, 0);
    const most = this.desk.about?.limits.body_bytes ?? Infinity;
    if (size <= most) return false;
    const names = files.map((file) => file.name).join(" and ");
    showComplaint({
      title: `${names} cannot be read`,
      message: `${files.length > 1 ? "They have" : "It has"} ${bytes(size)}, and this service reads at most ${bytes(most)} at once. Nothing was sent.`,
      faults: [],
      advice: "A spreadsheet of thousands of stops has a few megabytes: maybe there are pictures or other sheets in it. Whoever runs the service can allow more with --max-body.",
    });
    return true;
  }

  /** A plan from a file, for the stops and vehicles that are shown. */
  private async takePlan(plan: PlanDocument, name: string): Promise<void> {
    const { instance } = this.desk;
    if (!instance) {
      this.early = { plan, name };
      showComplaint({
        title: `${name} is a plan`,
        message: planWords(plan),
        faults: [],
        advice: "Where its stops are, and what its vehicles can do, is in another file: open that one now, and the plan is shown on its map.",
      });
      return;
    }
    this.early = null;
    const done = await this.desk.attempt(`${name} cannot be shown for ${titleOf(instance)}`, async () => {
      const run = await this.handWork.open(instance, plan, name);
      this.desk.construction.close();
      this.desk.shown = run;
      this.desk.other = null;
    });
    if (done) this.desk.checked();
  }

  private async readProblem(files: NamedFile[]): Promise<boolean> {
    const isCsv = (file: NamedFile) => /\.(csv|tsv|txt)$/i.test(file.name);
    const [single] = files;
    const joined =
      this.half && files.length === 1 && isCsv(single!) && single!.name !== this.half.name
        ? [this.half, single!]
        : files;
    const names = joined.map((file) => file.name).join(" and ");
    const alone = joined.length === 1 && isCsv(joined[0]!);
    const done = await this.desk.attempt(
      `${names} cannot be read`,
      async () => {
        const { problem, remarks } = await this.client.read(joined, readOptions());
        this.desk.take(problem, remarks);
      },
      alone ? "Stops and vehicles are two CSV files: drop the other one now, or both at once." : undefined,
    );
    this.half = !done && alone ? joined[0]! : null;
    return done;
  }

  private async openExample(name: keyof typeof EXAMPLES): Promise<void> {
    this.early = null; // it is the plan of something else
    await this.read([await example(name)]);
  }

  private async generate(): Promise<void> {
    const setting = `${field("kind")}/${field("tasks")}/${field("vehicles")}`;
    await this.desk.attempt(`${setting} cannot be generated`, async () => {
      const { problem } = await this.client.generate(setting, Number(field("generate-seed")));
      this.desk.take(problem);
    });
  }
}
