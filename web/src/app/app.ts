/** The page as a whole: what is shown, and what the controls do to it. */

import { bytes, change, count, number, plain, plural, seconds } from "../model/format";
import {
  moveTask,
  placeTask,
  planOf,
  shiftTask,
  tripsIn,
  withFacts,
  withShift,
  type StopFacts,
} from "../model/edits";
import { readInstance, type Instance } from "../model/instance";
import { lockTask, lockVehicle, originOf, setOrigin } from "../model/locks";
import type { PlanDocument, ProblemDocument, Time } from "../model/documents";
import { balance, readRoutes, type Routes } from "../model/routes";
import { scaleOf } from "../model/scale";
import { goalText, goalWord, spanText, timeText } from "../model/times";
import { Trace } from "../model/trace";
import { whenText } from "../model/when";
import { Client, ServiceError, type SheetFormat, type SolversAnswer } from "../service/client";
import { Camera } from "../view/camera";
import { ChartView, type Series } from "../view/chart";
import { byId, download, make, setText } from "../view/elements";
import { hideComplaint, showComplaint } from "../view/faults";
import { readInk, type Ink } from "../view/ink";
import { MapView } from "../view/map";
import { howWords, RunListView } from "../view/runList";
import { ScheduleView } from "../view/schedule";
import { askRemoval } from "../view/removalDialog";
import { ShiftForm } from "../view/shiftForm";
import { StopListView } from "../view/stopList";
import { drawNow, oncePerFrame } from "../view/surface";
import { sorted, TableView, type Sorting, type SortKey } from "../view/table";
import { Tiles } from "../view/tiles";
import { askToken } from "../view/tokenDialog";
import { VehicleLock } from "../view/vehicleLock";
import { keepDesk, readAddress, readDesk, showAddress, type Desk } from "./address";
import { Construction } from "./construction";
import { example, EXAMPLES, listenForFiles, planIn, readOptions, type NamedFile } from "./files";
import { HandWork } from "./handwork";
import { picture } from "./picture";
import { isGone, isLive, Runs, sizeOf, titleOf, waitingWords, type Run } from "./runs";
import { Sheets } from "./sheets";
import { listenForKeys } from "./shortcuts";
import { ThemeSwitch } from "./theme";
import { hideTip, showTip } from "./tip";

const EARLIER_RUNS = 40;
// The newest plans are looked into at once, so that their list can tell what their numbers mean.
const OPENED_AT_ONCE = 8;
const ANNOUNCE_MS = 2500;
// Reasons are told for so many of those that are left out.
const MOST_LEFT_OUT = 100;
const phone = window.matchMedia("(max-width: 720px)");

export class App {
  private readonly client = new Client();
  private readonly runs = new Runs(this.client, (run, improved) => this.runChanged(run, improved));
  private readonly sheets = new Sheets(this.client);
  private readonly handWork = new HandWork(this.client, this.runs);
  private about: SolversAnswer | null = null;
  private instance: Instance | null = null;
  private shown: Run | null = null;
  private other: Run | null = null;
  private ink: Ink = readInk("light", 1);
  private tiles: Tiles | null = null;
  private pointed = -1;
  private pinned = -1;
  private sorting: Sorting = { key: "vehicle", descending: false };
  private announced = 0;
  /** The address that is being opened: until it is, what is shown does not change the address. */
  private visit: symbol | null = null;
  private keptDesk: Desk | null = null;
  /** A CSV file that could not be read alone: perhaps its fleet comes next. */
  private half: NamedFile | null = null;

  private readonly camera = new Camera();
  private readonly cameraB = new Camera();
  private readonly map: MapView;
  private readonly mapB: MapView;
  private readonly schedule: ScheduleView;
  private readonly scheduleB: ScheduleView;
  private readonly chart = new ChartView(byId("chart"));
  private readonly table: TableView;
  private readonly runList: RunListView;
  private readonly stopList = new StopListView(byId("stops-panel"), byId("stops"), byId("stops-of"), {
    choose: (vehicle) => {
      this.pinned = vehicle;
      this.pointed = -1;
      this.askRender();
    },
    move: (task, vehicle) => this.move(task, vehicle),
    place: (task, before) =>
      void this.changePlan((instance, routes) => planOf(instance, placeTask(tripsIn(routes), task, before))),
    change: (task, facts) => void this.changeStop(task, facts),
    shift: (task, step) =>
      void this.changePlan((instance, routes) => planOf(instance, shiftTask(tripsIn(routes), task, step))),
    lock: (task, locked) => void this.lock(task, locked),
  });
  private readonly vehicleLock = new VehicleLock((vehicle, locked) => void this.lockVehicle(vehicle, locked));
  private readonly shiftForm = new ShiftForm((vehicle, from, until) => void this.changeShift(vehicle, from, until));
  private readonly construction: Construction;
  private readonly theme: ThemeSwitch;
  private readonly askRender = oncePerFrame(() => this.render());
  private rendered = 0;
  private renderCost = 0;
  private waiting = 0;

  constructor() {
    this.construction = new Construction(() => this.askRender());
    const mapEvents = (routes: () => Routes | null) => ({
      point: (found: { vehicle: number; task: number } | null, x: number, y: number) => {
        this.point(found?.vehicle ?? -1);
        if (found) showTip(routes(), found.vehicle, found.task, x, y);
        else hideTip();
      },
      pin: (vehicle: number) => this.pin(vehicle),
    });
    const scheduleEvents = (routes: () => Routes | null) => ({
      point: (vehicle: number, task: number, x: number, y: number) => {
        this.point(vehicle);
        if (vehicle >= 0) showTip(routes(), vehicle, task, x, y);
        else hideTip();
      },
      pin: (vehicle: number) => this.pin(vehicle),
    });
    const [a, b] = [() => this.routes(), () => this.other?.routes ?? null];
    this.map = new MapView(byId("map"), this.camera, mapEvents(a));
    this.mapB = new MapView(byId("map-b"), this.cameraB, mapEvents(b));
    this.schedule = new ScheduleView(byId("schedule"), scheduleEvents(a));
    this.scheduleB = new ScheduleView(byId("schedule-b"), scheduleEvents(b));
    this.table = new TableView(byId<HTMLTableElement>("table"), {
      sort: (key) => this.sort(key),
      point: (vehicle) => this.point(vehicle),
      pin: (vehicle) => this.pin(vehicle),
      take: (vehicle, task) => this.move(task, vehicle),
    });
    this.runList = new RunListView(byId("runs"), {
      show: (run) => void this.showRun(run),
      compare: (run) => void this.compare(run),
      remove: (run) => void this.remove(run),
    });
    this.tieCameras();
    this.theme = new ThemeSwitch(() => this.themeChanged());
    this.themeChanged();
    this.listen();
    this.client.askToken = askToken;
  }

  async begin(): Promise<void> {
    await this.attempt("The service cannot be used", async () => {
      this.about = await this.client.solvers();
      const { solvers } = this.about;
      this.runs.atOnce = new Set(solvers.filter((each) => !each.anytime).map((each) => each.name));
      setText(byId("version"), this.about.version);
      if (this.about.tiles) this.tiles = new Tiles(this.about.tiles, () => this.askRender());
      this.runList.usual = this.about.default;
      this.listSolvers();
      await this.runs.loadEarlier(EARLIER_RUNS);
    });
    if (this.about) await this.goToAddress();
    this.askRender();
    await this.runs.openSome(OPENED_AT_ONCE);
    this.askRender();
  }

  /** Show what the address names, or else what was on the desk before a reload. */
  private async goToAddress(): Promise<void> {
    const visit = (this.visit = Symbol());
    try {
      await this.openAddress(() => this.visit === visit);
    } finally {
      if (this.visit === visit) this.visit = null;
      this.askRender();
    }
  }

  /** Whoever goes on while an address is being opened is not called back to it. */
  private async openAddress(wanted: () => boolean): Promise<void> {
    const { job, other } = readAddress(location.search);
    const run = job ? await this.fetchRun(job) : null;
    const beside = run && other && other !== job ? await this.fetchRun(other) : null;
    if (!wanted()) return;
    if (run) {
      this.construction.close();
      [this.shown, this.other] = [run, beside];
      this.setInstance(run.instance!);
      this.tellViolations(run);
      requestAnimationFrame(() => this.fit());
      return;
    }
    const desk = readDesk();
    if (!desk || this.instance) return;
    setOrigin(desk.problem, desk.origin ?? null);
    this.setInstance(readInstance(desk.problem));
    if (!desk.plan) return;
    try {
      const brought = await this.handWork.open(this.instance!, desk.plan, "by hand");
      if (wanted()) this.shown = brought;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      showComplaint({ title: "The plan from before cannot be shown", message: error.message, faults: error.faults });
    }
  }

  /** A run by its id; null, and a word why, when the service does not have it (any more). */
  private async fetchRun(id: string): Promise<Run | null> {
    try {
      const run = await this.runs.find(id);
      await this.runs.open(run);
      hideComplaint();
      return run;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (isGone(error)) this.tellGone(id);
      else showComplaint({ title: "This plan cannot be shown", message: error.message, faults: error.faults });
      return null;
    }
  }

  private tellGone(id: string): void {
    showComplaint({
      title: "This plan is no longer here",
      message: `This service does not have the plan ${id}. It was deleted or has become too old, or the service was started anew without --data.`,
      faults: [],
      advice: "Everything else works: open stops and vehicles, or choose another plan.",
    });
  }

  // What the controls do

  private listen(): void {
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
    byId("kind").addEventListener("change", () => this.listSolvers());
    byId("solver").addEventListener("change", () => this.describeSolver());
    byId("solve").addEventListener("submit", (event) => {
      event.preventDefault();
      void this.solve();
    });
    byId("stop").addEventListener("click", () => void this.stop());
    byId("again").addEventListener("click", () => void this.planAgain());
    byId("undo").addEventListener("click", () => this.undo());
    byId("share").addEventListener("click", () => void this.share());
    window.addEventListener("popstate", () => void this.goToAddress());
    byId("sheet").addEventListener("click", () => void this.openSheet(-1));
    byId("sheet-own").addEventListener("click", () => void this.openSheet(this.pinned));
    for (const format of ["xlsx", "csv", "gpx", "geojson"] as const) {
      byId(`sheet-${format}`).addEventListener("click", () => void this.saveSheet(format, -1));
    }
    for (const format of ["csv", "gpx"] as const) {
      byId(`${format}-own`).addEventListener("click", () => void this.saveSheet(format, this.pinned));
    }
    byId("trace").addEventListener("click", () => void this.construct());
    byId("older").addEventListener("click", () => void this.listOlder());
    byId("complaint-close").addEventListener("click", hideComplaint);
    byId("zoom-in").addEventListener("click", () => this.map.zoomBy(1.5));
    byId("zoom-out").addEventListener("click", () => this.map.zoomBy(1 / 1.5));
    byId("zoom-fit").addEventListener("click", () => this.fit());
    byId("theme").addEventListener("click", () => this.theme.toggle());
    byId("help-open").addEventListener("click", () => byId<HTMLDialogElement>("help").showModal());
    byId("save-plan").addEventListener("click", () => this.savePlan());
    byId("save-problem").addEventListener("click", () => this.saveProblem());
    byId("save-picture").addEventListener("click", () => void this.savePicture());
    listenForKeys(
      {
        o: () => byId("open").click(),
        "+": () => this.map.zoomBy(1.5),
        "=": () => this.map.zoomBy(1.5),
        "-": () => this.map.zoomBy(1 / 1.5),
        "0": () => this.fit(),
        "[": () => this.followNext(-1),
        "]": () => this.followNext(1),
        ",": () => this.construction.move(-1),
        ".": () => this.construction.move(1),
        " ": () => this.construction.toggle(),
        t: () => this.theme.toggle(),
        "?": () => byId<HTMLDialogElement>("help").showModal(),
        Escape: () => this.escape(),
      },
      {
        Enter: () => byId<HTMLFormElement>("solve").requestSubmit(),
        z: () => this.undo(),
      },
    );
  }

  /** Two runs of one instance are looked at through one camera. */
  private tieCameras(): void {
    const tie = (from: Camera, to: Camera) =>
      from.onChange(() => {
        const same = this.other?.instance === this.instance;
        if (same && to.frame !== from.frame && !from.fitted) to.take(from);
      });
    tie(this.camera, this.cameraB);
    tie(this.cameraB, this.camera);
  }

  private fit(): void {
    this.map.fit();
    this.mapB.fit();
  }

  private async read(all: NamedFile[]): Promise<void> {
    if (all.length === 0 || this.tooLarge(all)) return;
    const plans = await Promise.all(all.map(planIn));
    const files = all.filter((_, i) => plans[i] === null);
    const problems = files.length === 0 || (await this.readProblem(files));
    const at = plans.findIndex((plan) => plan !== null);
    if (problems && at >= 0) await this.takePlan(plans[at]!, all[at]!.name);
  }

  /** Say so where files are more than the service takes, before they are sent, or even read. */
  private tooLarge(files: NamedFile[]): boolean {
    const size = files.reduce((sum, file) => sum + file.data.size, 0);
    const most = this.about?.limits.body_bytes ?? Infinity;
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
    const { instance } = this;
    if (!instance) {
      showComplaint({
        title: `${name} is a plan`,
        message: "Open its stops and vehicles first, or drop both files at once.",
        faults: [],
      });
      return;
    }
    const done = await this.attempt(`${name} cannot be shown for ${titleOf(instance)}`, async () => {
      const run = await this.handWork.open(instance, plan, name);
      this.construction.close();
      this.shown = run;
      this.other = null;
    });
    if (done) this.checked();
  }

  /** Tell what the checker found about the plan that is shown. */
  private checked(): void {
    const run = this.shown;
    if (!run || run.kept) return;
    this.tellViolations(run);
    const { times } = run.instance!;
    const value = goalText(times, run.objective!, run.routes?.latest).join(" ");
    const rules = run.violations.length > 0 ? `, breaks ${plural(run.violations.length, "rule")}` : "";
    this.announce(`${goalWord(times)} ${value}${rules}`);
    this.askRender();
  }

  private tellViolations(run: Run): void {
    if (run.violations.length === 0) return;
    showComplaint({
      title: `This plan breaks ${plural(run.violations.length, "rule")}`,
      message: "",
      faults: run.violations.map(({ code, message, hint, vehicles }) => ({
        code,
        field: vehicles?.join(", ") ?? "",
        value: "",
        message,
        hint: hint ?? "",
      })),
      advice: "“Plan again from here” mends it.",
    });
  }

  // Changes by hand

  private async changePlan(change: (instance: Instance, routes: Routes) => PlanDocument): Promise<void> {
    const run = this.shown;
    if (!run?.routes || isLive(run)) return;
    await this.apply(run, run.instance!.document, change(run.instance!, run.routes));
  }

  private move(task: number, vehicle: number): void {
    if (this.routes()?.server[task] === vehicle) return;
    void this.changePlan((instance, routes) => planOf(instance, moveTask(instance, tripsIn(routes), task, vehicle)));
  }

  private async changeStop(task: number, facts: StopFacts): Promise<void> {
    const run = this.shown;
    if (!run?.plan || isLive(run)) return;
    await this.apply(run, withFacts(run.instance!, task, facts), run.plan);
  }

  private async changeShift(vehicle: number, from: Time, until: Time): Promise<void> {
    const run = this.shown;
    if (!run?.plan || isLive(run)) return;
    await this.apply(run, withShift(run.instance!, vehicle, from, until), run.plan);
  }

  /** Only the vehicle that has a stop may serve it from now on, or all of them. */
  private async lock(task: number, locked: boolean): Promise<void> {
    const run = this.shown;
    if (!run?.plan || isLive(run) || this.pinned < 0) return;
    const { instance } = run;
    const vehicle = locked ? instance!.vehicleNames[this.pinned]! : null;
    await this.apply(run, lockTask(instance!, task, vehicle), run.plan);
  }

  /** What a vehicle does now is how its route begins from now on; or it is free again. */
  private async lockVehicle(vehicle: number, locked: boolean): Promise<void> {
    const run = this.shown;
    if (!run?.plan || isLive(run)) return;
    const { instance } = run;
    const name = instance!.vehicleNames[vehicle];
    const route = run.plan.routes.find((each) => String(each.vehicle) === name) ?? null;
    await this.apply(run, lockVehicle(instance!, vehicle, locked ? route : null), run.plan);
  }

  private async apply(run: Run, document: ProblemDocument, plan: PlanDocument): Promise<void> {
    const done = await this.attempt("This cannot be changed", async () => {
      this.show(await this.handWork.change(run, document, plan));
    });
    if (done) this.checked();
    else this.askRender();
  }

  private undo(): void {
    const run = this.shown;
    if (!run || !this.handWork.canUndo(run)) return;
    hideComplaint();
    this.show(this.handWork.undo(run));
    this.checked();
    this.askRender();
  }

  /** Show a run without letting go of the vehicle that is followed. */
  private show(run: Run): void {
    const { pinned } = this;
    this.shown = run;
    if (this.other === run || this.other?.instance !== run.instance) this.other = null;
    this.setInstance(run.instance!);
    this.pinned = pinned;
  }

  // Sheets

  private async openSheet(vehicle: number): Promise<void> {
    const run = this.shown;
    if (!run?.plan) return;
    await this.attempt("The sheets cannot be made", () => this.sheets.open(run, this.vehicleName(vehicle)));
  }

  private async saveSheet(format: SheetFormat, vehicle: number): Promise<void> {
    const run = this.shown;
    if (!run?.plan) return;
    const own = this.vehicleName(vehicle);
    const name = own === null ? this.fileName() : `${this.fileName()}-${fileWord(own)}`;
    await this.attempt("The sheets cannot be made", () => this.sheets.save(run, format, own, name));
  }

  private vehicleName(vehicle: number): string | null {
    return vehicle < 0 ? null : (this.instance?.vehicleNames[vehicle] ?? null);
  }

  private async share(): Promise<void> {
    const run = this.shown;
    try {
      if (run) await this.client.job(run.id);
    } catch (error) {
      if (isGone(error)) return this.tellNoAddress(run!);
      if (!(error instanceof ServiceError)) throw error; // a service that is down may come back
    }
    try {
      await navigator.clipboard.writeText(location.href);
      this.announce("The link is copied");
      setText(byId("share"), "Copied");
    } catch {
      // Browsers copy only for pages that came over HTTPS or from this machine.
      setText(byId("share"), "Copy it from the address bar");
    }
    setTimeout(() => setText(byId("share"), "Copy link"), 2500);
  }

  private tellNoAddress(run: Run): void {
    run.kept = false;
    showComplaint({
      title: "This plan has no address any more",
      message: "It was deleted, or the service was started anew without --data. It is still here.",
      faults: [],
      advice: "“Plan again from here” gives it a new one; or save it and send the file.",
    });
    this.askRender();
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
    const done = await this.attempt(
      `${names} cannot be read`,
      async () => {
        const { problem, remarks } = await this.client.read(joined, readOptions());
        this.take(problem, remarks);
      },
      alone ? "Stops and vehicles are two CSV files: drop the other one now, or both at once." : undefined,
    );
    this.half = !done && alone ? joined[0]! : null;
    return done;
  }

  private async openExample(name: keyof typeof EXAMPLES): Promise<void> {
    await this.read([await example(name)]);
  }

  private async generate(): Promise<void> {
    const setting = `${field("kind")}/${field("tasks")}/${field("vehicles")}`;
    await this.attempt(`${setting} cannot be generated`, async () => {
      const { problem } = await this.client.generate(setting, Number(field("generate-seed")));
      this.take(problem);
    });
  }

  private take(problem: ProblemDocument, remarks: string[] = []): void {
    this.visit = null;
    this.construction.close();
    this.instance = readInstance(problem);
    this.shown = this.other = null;
    this.pinned = this.pointed = -1;
    this.sorting = { key: "vehicle", descending: false };
    byId<HTMLSelectElement>("kind").value = problem.problem;
    this.listSolvers();
    this.refreshInk();
    this.announce(`${this.words(this.instance)} loaded`);
    byId("remarks").hidden = remarks.length === 0;
    byId("remarks").replaceChildren(...remarks.map((remark) => make("li", "", remark)));
    this.askRender();
  }

  /** From the plan that is shown, which keeps what begins soon where that is asked for. */
  private async planAgain(): Promise<void> {
    const input = byId<HTMLInputElement>("keep");
    if (!input.reportValidity()) return;
    const span = input.value.trim();
    await this.solve(this.shown?.plan ?? null, span === "" ? null : Number(span));
  }

  private async solve(from: PlanDocument | null = null, keep: number | null = null): Promise<void> {
    const instance = this.instance;
    if (!instance || (this.shown && isLive(this.shown))) return;
    this.visit = null;
    this.construction.close();
    byId("remarks").hidden = true;
    const started = await this.attempt("This cannot be planned", async () => {
      const limit = Number(field("limit"));
      const run = await this.runs.start(instance, field("solver"), limit, Number(field("seed")), from, keep);
      this.shown = run;
      if (this.other?.instance !== instance) this.other = null;
      this.announce("Planning");
    });
    this.askRender();
    // On a phone the result is below: it comes into view once it is drawn.
    if (started && phone.matches) requestAnimationFrame(() => byId("headline-panel").scrollIntoView());
  }

  private async stop(): Promise<void> {
    const run = this.shown;
    if (!run || !isLive(run)) return;
    await this.attempt("The run cannot be stopped", () => this.runs.stop(run));
  }

  private async construct(): Promise<void> {
    const instance = this.instance;
    if (!instance) return;
    const button = byId<HTMLButtonElement>("trace");
    button.disabled = true;
    setText(button, "The network is at work…");
    await this.attempt("The construction cannot be shown", async () => {
      const document = await this.client.trace(instance.document, Number(field("seed")));
      if (this.instance !== instance) return;
      this.other = null;
      this.construction.open(new Trace(instance, document));
      this.announce(`${plural(document.steps.length, "step")}`);
    });
    setText(button, "Step through the construction");
    this.askRender();
  }

  private async showRun(run: Run): Promise<void> {
    this.visit = null;
    if (await this.isLost(run)) return;
    await this.attempt("This run cannot be shown", async () => {
      await this.runs.open(run);
      this.construction.close();
      if (run === this.other) this.other = this.shown;
      this.shown = run;
      if (this.other === run) this.other = null;
      this.setInstance(run.instance!);
    });
    if (this.shown === run) this.tellViolations(run);
    this.askRender();
  }

  /** A run that was never looked at and is gone at the service leaves the list, with a word. */
  private async isLost(run: Run): Promise<boolean> {
    if (run.instance) return false;
    try {
      await this.runs.open(run);
      return false;
    } catch (error) {
      if (!isGone(error)) return false; // told by who opens it
    }
    this.runs.forget(run);
    this.tellGone(run.id);
    this.askRender();
    return true;
  }

  /** Delete a plan, once that was confirmed: whoever has its address loses it, too. */
  private async remove(run: Run): Promise<void> {
    if (isLive(run) || !(await askRemoval(runWords(run), run.title, run.kept))) return;
    const done = await this.attempt("This plan cannot be deleted", () => this.runs.remove(run));
    if (!done) return;
    if (this.other === run) this.other = null;
    if (this.shown === run) {
      this.shown = this.other;
      this.other = null;
      if (this.shown) this.setInstance(this.shown.instance!);
    }
    this.announce("Deleted");
    this.askRender();
    byId("runs-head").focus();
  }

  private async listOlder(): Promise<void> {
    await this.attempt("Older plans cannot be listed", () => this.runs.loadEarlier(EARLIER_RUNS));
    this.askRender();
  }

  private async compare(run: Run): Promise<void> {
    this.visit = null;
    if (await this.isLost(run)) return;
    if (run === this.other) {
      this.other = null;
    } else {
      await this.attempt("This run cannot be shown", async () => {
        await this.runs.open(run);
        this.construction.close();
        this.other = run;
      });
    }
    this.askRender();
    requestAnimationFrame(() => this.fit());
  }

  private setInstance(instance: Instance): void {
    if (instance === this.instance) return;
    this.instance = instance;
    byId("remarks").hidden = true;
    this.pinned = this.pointed = -1;
    byId<HTMLSelectElement>("kind").value = instance.kind;
    this.listSolvers();
    this.refreshInk();
  }

  private escape(): void {
    if (this.pinned >= 0) this.pin(this.pinned);
    else if (this.shown && isLive(this.shown)) void this.stop();
    else if (this.construction.moment) this.construction.close();
    else hideComplaint();
  }

  // Following a vehicle

  private get followed(): number {
    return this.pointed >= 0 ? this.pointed : this.pinned;
  }

  private point(vehicle: number): void {
    if (vehicle === this.pointed) return;
    this.pointed = vehicle;
    this.showFollowed();
  }

  /** Keep following it; once more, or beside all routes, lets go. */
  private pin(vehicle: number): void {
    this.pinned = vehicle === this.pinned ? -1 : vehicle;
    if (this.pinned < 0) this.pointed = -1;
    this.showFollowed();
  }

  private followNext(step: number): void {
    const routes = this.routes();
    if (!routes) return;
    const order = sorted(routes, this.otherRoutes(), this.sorting);
    const at = order.indexOf(this.pinned);
    const next = at < 0 ? (step > 0 ? 0 : order.length - 1) : (at + step + order.length) % order.length;
    this.pointed = -1;
    this.pinned = order[next]!;
    this.showFollowed();
    this.table.reveal(this.pinned);
    const { finish, stops } = routes.vehicles[this.pinned]!;
    this.announce(`${routes.instance.vehicleNames[this.pinned]}: ${plural(stops, "stop")}, done at ${timeText(routes.instance.times, finish)}`);
  }

  private showFollowed(): void {
    for (const view of [this.map, this.mapB, this.schedule, this.scheduleB]) view.follow(this.followed);
    this.table.follow(this.followed, this.pinned >= 0 && this.pointed < 0);
    this.renderStops();
  }

  private renderStops(): void {
    const { shown } = this;
    const routes = this.construction.moment ? null : this.routes();
    const editable = shown !== null && !isLive(shown) && this.other === null;
    this.stopList.show(routes, this.pinned, editable);
    byId("own-sheet").hidden = this.pinned < 0 || !routes || routes.vehicles[this.pinned]?.stops === 0;
    this.vehicleLock.show(editable && routes && routes.vehicles[this.pinned]?.stops ? routes.instance : null, this.pinned);
    this.shiftForm.show(editable && routes ? routes.instance : null, this.pinned);
    byId("undo").hidden = !this.handWork.canUndo(shown);
  }

  private sort(key: SortKey): void {
    const again = this.sorting.key === key;
    this.sorting = { key, descending: again ? !this.sorting.descending : key !== "vehicle" };
    this.askRender();
  }

  // Downloads

  private savePlan(): void {
    const plan = this.shown?.plan;
    if (plan) saveJson(plan, `${this.fileName()}.plan.json`);
  }

  private saveProblem(): void {
    if (this.instance) saveJson(this.instance.document, `${this.fileName()}.json`);
  }

  private async savePicture(): Promise<void> {
    const routes = this.routes();
    if (!routes) return;
    const blob = await picture(this.map, this.schedule, this.ink, {
      title: this.words(routes.instance),
      objective: this.shown && !this.construction.moment ? objectiveWords(this.shown) : "",
      vehicles: routes.vehicles.length,
    });
    download(blob, `${this.fileName()}.png`);
  }

  private fileName(): string {
    const name = this.instance ? titleOf(this.instance) : "plan";
    return fileWord(name);
  }

  // What is shown

  private runChanged(run: Run, improved: boolean): void {
    if (run === this.shown && improved && Date.now() - this.announced > ANNOUNCE_MS) {
      this.announce(objectiveWords(run));
    }
    if (run === this.shown && !isLive(run)) {
      const end = run.objective === null ? "" : `, ${objectiveWords(run)}`;
      this.announce(`Planning ${run.status}${end}`);
      const cut = run.status === "interrupted";
      if (run.status === "failed" || cut || run.error) {
        const reason = run.error ?? (cut ? "The service ended while this ran." : "No reason was given.");
        const advice = run.plan ? { advice: "“Plan again from here” goes on from the best plan by then." } : {};
        showComplaint({ title: `Planning ${run.status}`, message: reason, faults: [], ...advice });
      }
    }
    this.renderSoon();
  }

  /** Improvements come fast: at most a quarter of the time goes into drawing them. */
  private renderSoon(): void {
    if (this.waiting) return;
    const free = this.rendered + 3 * (this.renderCost + this.map.cost);
    this.waiting = window.setTimeout(() => {
      this.waiting = 0;
      this.askRender();
    }, Math.max(0, free - performance.now()));
  }

  private announce(text: string): void {
    this.announced = Date.now();
    setText(byId("live"), text);
  }

  private themeChanged(): void {
    if (!this.theme) return; // while it is being made
    this.refreshInk();
    this.askRender();
    if (this.theme.paper) drawNow();
  }

  private refreshInk(): void {
    const vehicles = Math.max(
      this.instance?.vehicleNames.length ?? 1,
      this.other?.instance?.vehicleNames.length ?? 1,
    );
    this.ink = readInk(this.theme.current, vehicles);
  }

  /** The construction's routes while one steps through it, otherwise the run's. */
  private routes(): Routes | null {
    const { moment } = this.construction;
    if (moment) return moment.trace.routesAfter(moment.step);
    return this.shown?.routes ?? null;
  }

  private otherRoutes(): Routes | null {
    return this.other?.instance === this.instance ? (this.other?.routes ?? null) : null;
  }

  private render(): void {
    const began = performance.now();
    this.renderAll();
    this.rendered = performance.now();
    this.renderCost = this.rendered - began;
  }

  private renderAll(): void {
    const { instance } = this;
    const routes = this.routes();
    if (this.ink.vehicles.length < (this.other?.instance?.vehicleNames.length ?? 0)) this.refreshInk();
    this.renderTitle();
    byId("empty").hidden = instance !== null;
    this.renderStage(instance, routes);
    this.renderFigures(routes);
    this.renderControls(routes);
    byId("no-runs").hidden = this.runs.list.length > 0;
    this.runList.show(this.runs.list, this.shown, this.other);
    byId("older").hidden = this.runs.cursor === null;
    this.showFollowed();
    this.keepPlace();
  }

  /** The address names what is shown; what has no address survives a reload of this tab. */
  private keepPlace(): void {
    const { shown, other, instance } = this;
    if (!this.about || !instance || this.visit) return;
    const job = shown?.kept ? shown.id : null;
    showAddress({ job, other: job && other?.kept ? other.id : null });
    const plan = shown && !shown.kept ? shown.plan : null;
    if (this.keptDesk?.problem === instance.document && this.keptDesk.plan === plan) return;
    this.keptDesk = { problem: instance.document, plan, origin: originOf(instance.document) };
    keepDesk(this.keptDesk);
  }

  private renderTitle(): void {
    const title = byId("title");
    const words = this.instance ? this.words(this.instance) : "";
    if (title.textContent === words) return;
    title.replaceChildren();
    if (!this.instance) return;
    const [name, rest] = [titleOf(this.instance), words.slice(titleOf(this.instance).length)];
    title.append(make("b", "", name), make("span", "quiet", rest));
    document.title = `${name} – GeoPAR`;
  }

  private words(instance: Instance): string {
    return instance.name ? `${instance.name} · ${sizeOf(instance)}` : sizeOf(instance);
  }

  private renderStage(instance: Instance | null, routes: Routes | null): void {
    const { ink, tiles, other } = this;
    const { moment } = this.construction;
    this.map.show(instance && { instance, routes, moment, ink, tiles });
    byId("map").setAttribute("aria-label", instance ? mapWords(instance, routes) : "Map, empty");
    byId("pane-b").hidden = byId("schedule-b").hidden = !other;
    byId("caption-a").hidden = !other;
    if (other) {
      setCaption("caption-a", "A", runWords(this.shown));
      setCaption("caption-b", "B", runWords(other));
      this.mapB.show(
        other.instance && { instance: other.instance, routes: other.routes, moment: null, ink, tiles },
      );
    }
    const tied = this.otherRoutes();
    const rows = Math.max(instance?.vehicleNames.length ?? 0, other?.instance?.vehicleNames.length ?? 0);
    if (rows > 0) byId("schedules").style.setProperty("--rows", `${ScheduleView.height(rows)}px`);
    const order = routes ? sorted(routes, tied, this.sorting) : [];
    let reach = moment ? (this.construction.reach || 1) : (this.shown?.reach ?? 0);
    if (tied) reach = Math.max(reach, this.other!.reach);
    this.schedule.show(routes && { routes, order, reach, growing: moment !== null, ink });
    byId("schedule").setAttribute("aria-label", routes ? scheduleWords(routes) : "Schedule, empty");
    const otherRoutes = other?.routes ?? null;
    const all = otherRoutes?.vehicles.map((_, i) => i) ?? [];
    this.scheduleB.show(
      otherRoutes && {
        routes: otherRoutes,
        order: tied ? order : all,
        reach: tied ? reach : other!.reach,
        growing: false,
        ink,
      },
    );
    setText(byId("schedule-unit"), instance ? axisWords(instance) : "");
  }

  private renderFigures(routes: Routes | null): void {
    const { shown, other, instance } = this;
    const { moment } = this.construction;
    setText(byId("headline-label"), instance ? goalWord(instance.times) + (moment ? " so far" : "") : "Home by");
    const value = moment ? routes?.objective : shown?.objective;
    const told = value == null || !instance ? ["–", ""] : goalText(instance.times, value, routes?.latest);
    const headline = byId("headline-value");
    setText(headline, told[0]!);
    setText(byId("headline-unit"), told[1]!);
    // To the last digit for who compares methods.
    headline.title = value == null ? "" : String(value);
    const [change, since] = byId("headline-change").children;
    const words = this.changeWords(moment !== null);
    setText(change!, words[0]);
    setText(since!, words[1]);
    setFacts(routes ? this.facts(routes) : []);
    this.renderLeftOut(moment ? null : shown);
    const tied = this.otherRoutes();
    this.renderTable(routes, tied);
    const series = [shown, other].filter((run): run is Run => run !== null && run.history.length > 0);
    const limit = Math.max(0, ...[shown, other].map((run) => (run && isLive(run) ? (run.limit ?? 0) : 0)));
    const scale = scaleOf(instance?.times ?? null);
    this.chart.show({ series: series.map((run) => this.seriesOf(run)), limit, scale, ink: this.ink });
    // A plan that was there at once did not get better over time.
    byId("chart-panel").hidden = shown !== null && limit === 0 && series.every((run) => run.history.length < 2);
    const course = series.map((run) => `${run.solver}: from ${scale.text(run.history[0]![1])} to ${scale.text(run.objective!)}`);
    byId("chart").setAttribute("aria-label", `How the plan got better. ${course.join("; ") || "Empty"}`);
  }

  private renderTable(planned: Routes | null, other: Routes | null): void {
    const { instance, sorting, ink } = this;
    const routes = planned ?? (instance && readRoutes(instance, { problem: instance.kind, routes: [] }));
    const order = routes ? sorted(routes, other, sorting) : [];
    this.table.show(routes && { routes, other, bare: planned === null, order, sorting, ink });
  }

  private seriesOf(run: Run): Series {
    const second = run === this.other;
    return {
      label: this.other ? (second ? "B" : "A") : "",
      points: run.history,
      until: run.time,
      colour: second ? this.ink.quiet : this.ink.accent,
      dashed: second,
    };
  }

  private changeWords(constructing: boolean): [string, string] {
    const { shown, other } = this;
    if (constructing || !shown || shown.objective === null) return ["", ""];
    if (other?.objective != null && other.instance === this.instance) {
      return [change(other.objective, shown.objective), "A against B"];
    }
    if (shown.from !== null) return [change(shown.from, shown.objective), "by your changes"];
    const first = shown.history[0]?.[1];
    if (first === undefined || shown.history.length < 2) return ["", ""];
    return [change(first, shown.objective), "since the first plan"];
  }

  private facts(routes: Routes): [string, string][] {
    const distance = routes.vehicles.reduce((sum, route) => sum + route.distance, 0);
    const facts: [string, string][] = [
      ["Balance", `${(balance(routes) * 100).toFixed(1)} %`],
      ["Distance", number(distance) + (routes.instance.origin ? " km" : "")],
    ];
    if (routes.instance.kind === "hcvrp") {
      facts.push(["Trips", count(routes.vehicles.reduce((sum, route) => sum + route.trips.length, 0))]);
    } else if (!routes.instance.times.day) {
      const mean = routes.objective / Math.max(1, routes.instance.numOrders);
      facts.push(["Mean arrival", spanText(routes.instance.times, mean)]);
    }
    const { times } = routes.instance;
    if (times.day && times.goal !== "makespan") facts.push(["Last done", timeText(times, routes.latest)]);
    return facts;
  }

  /** What nobody serves, and why. */
  private renderLeftOut(run: Run | null): void {
    const { leftOut } = run ?? { leftOut: [] };
    byId("left-out").hidden = leftOut.length === 0;
    setText(byId("left-out-head"), `Left out: ${count(leftOut.length)}`);
    byId("left-out-list").replaceChildren(
      ...leftOut.slice(0, MOST_LEFT_OUT).map((each) =>
        make("li", "", make("b", "", String(each.request)), ` ${each.reason}`),
      ),
    );
  }

  private renderControls(routes: Routes | null): void {
    const { shown, instance } = this;
    const live = shown !== null && isLive(shown);
    enable("start", instance !== null && !live);
    enable("stop", live);
    const planned = shown?.plan != null && !this.construction.moment;
    enable("again", planned && !live);
    byId("keep-field").hidden = !planned || live;
    setText(byId("keep-unit"), instance ? keepUnit(instance) : "");
    enable("share", shown?.kept === true);
    const onEarth = instance?.origin != null;
    for (const id of ["sheet", "sheet-xlsx", "sheet-csv", "sheet-geojson"]) enable(id, planned);
    enable("sheet-gpx", planned && onEarth);
    byId("gpx-own").hidden = byId("sheet-gpx").hidden = instance !== null && !onEarth;
    enable("trace", instance !== null);
    enable("save-plan", planned);
    enable("save-picture", routes !== null);
    enable("save-problem", instance !== null);
    const share = shown ? Math.min(1, shown.time / Math.max(shown.limit ?? 0, 1e-9)) : 0;
    const bar = byId("progress");
    const percent = Math.round((live ? share : shown ? 1 : 0) * 100);
    bar.setAttribute("aria-valuenow", String(percent));
    (bar.firstElementChild as HTMLElement).style.width = `${percent}%`;
    setText(byId("progress-words"), shown ? progressWords(shown) : "");
  }

  // Solvers

  private listSolvers(): void {
    if (!this.about) return;
    const kind = this.instance?.kind ?? field("kind");
    const select = byId<HTMLSelectElement>("solver");
    const before = select.value || this.about.default;
    select.replaceChildren();
    for (const solver of this.about.solvers.filter((each) => each.problems.includes(kind))) {
      const option = make("option", "", solver.available ? solver.name : `${solver.name} (not here)`);
      option.value = solver.name;
      option.disabled = !solver.available;
      option.title = solver.hint ?? "";
      select.append(option);
    }
    const names = Array.from(select.options, (option) => option.value);
    select.value = names.includes(before) ? before : names.includes(this.about.default) ? this.about.default : names[0]!;
    const limit = this.about.limits.time_limit;
    if (limit !== undefined) byId<HTMLInputElement>("limit").max = String(limit);
    this.describeSolver();
  }

  private describeSolver(): void {
    const solver = this.about?.solvers.find((each) => each.name === field("solver"));
    if (!solver) return;
    setText(byId("solver-about"), `${solver.description[0]!.toUpperCase()}${solver.description.slice(1)}.`);
    byId<HTMLInputElement>("limit").disabled = !solver.anytime;
  }

  /** Do something that may fail; say why it did. */
  private async attempt(title: string, act: () => Promise<void>, advice?: string): Promise<boolean> {
    try {
      await act();
      hideComplaint();
      return true;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      showComplaint({ title, message: error.message, faults: error.faults, ...(advice ? { advice } : {}) });
      return false;
    }
  }
}

function field(id: string): string {
  return byId<HTMLInputElement | HTMLSelectElement>(id).value;
}

function fileWord(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "plan";
}

function enable(id: string, enabled: boolean): void {
  byId<HTMLButtonElement>(id).disabled = !enabled;
}

function objectiveWords(run: Run): string {
  const { times } = run.instance!;
  const value = goalText(times, run.objective!, run.routes?.latest);
  return `${goalWord(times)} ${value.join(" ")}`.trim();
}

function runWords(run: Run | null): string {
  if (!run) return "";
  const words = [whenText(run.created, new Date()), howWords(run, ""), run.objective === null ? "" : objectiveWords(run)];
  return words.filter((part) => part !== "").join(" · ");
}

function setCaption(id: string, mark: string, words: string): void {
  const caption = byId(id);
  if (caption.textContent === mark + words) return;
  caption.replaceChildren(make("b", "", mark), words);
}

function setFacts(facts: [string, string][]): void {
  const list = byId("facts");
  const text = facts.map(([name, value]) => name + value).join("");
  if (list.textContent === text) return;
  list.replaceChildren(
    ...facts.map(([name, value]) => make("div", "", make("dt", "", name), make("dd", "", value))),
  );
}

/** In what unit `keep` is. */
function keepUnit({ times }: Instance): string {
  return times.known ? times.unit : times.day || times.timeWord !== "km" ? "units of time" : "kilometres";
}

function axisWords(instance: Instance): string {
  const { times } = instance;
  if (times.day) return times.clock ? "by the clock" : times.timeWord ? times.unit : "time";
  if (instance.kind === "hcvrp") return instance.origin ? "hours" : "time";
  const unit = instance.origin ? "kilometres" : "distance";
  return `${unit} driven; dots are deliveries, strong with much on board`;
}

function mapWords(instance: Instance, routes: Routes | null): string {
  const what = instance.kind === "hcvrp" ? "stops around a depot" : "pickups and deliveries";
  const tasks = `Map: ${count(instance.taskX.length)} ${what}`;
  if (!routes) return `${tasks}, no plan yet`;
  const driving = routes.vehicles.filter((route) => route.stops > 0).length;
  return `${tasks}, routes of ${plural(driving, "vehicle")}; the table has the same in words`;
}

function scheduleWords(routes: Routes): string {
  const last = routes.vehicles.reduce((a, b) => (b.finish > a.finish ? b : a));
  const name = routes.instance.vehicleNames[last.vehicle]!;
  return `Schedule: ${plural(routes.vehicles.length, "vehicle")}, ${name} is done last, at ${timeText(routes.instance.times, routes.latest)}`;
}

function progressWords(run: Run): string {
  if (isLive(run) && run.silent) return "The service does not answer; it is asked again";
  if (!run.kept && run.status !== "interrupted") return run.from === null ? `From ${run.solver}` : changedWords(run);
  if (run.status === "queued") return waitingWords(run);
  const iterations = run.iterations > 0 ? `, ${plural(run.iterations, "iteration")}` : "";
  const word = run.status === "running" ? "" : `${run.status[0]!.toUpperCase()}${run.status.slice(1)}, `;
  const of = run.status === "running" ? ` of ${plain(run.limit ?? 0)} s` : "";
  const time = run.status === "running" ? run.time.toFixed(1) : seconds(run.time);
  return `${word}${time}${of}${iterations}`;
}

/** What changes by hand cost, in words. */
function changedWords(run: Run): string {
  const { times } = run.instance!;
  const scale = scaleOf(times);
  return `Changed by hand: ${scale.text(run.objective!)} instead of ${scale.text(run.from!)}${times.timeWord && ` ${times.timeWord}`}`;
}

function saveJson(value: unknown, name: string): void {
  download(new Blob([`${JSON.stringify(value, null, 1)}\n`], { type: "application/json" }), name);
}
