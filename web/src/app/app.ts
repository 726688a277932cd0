/** The page as a whole: what is shown, and what the controls do to it. */

import { change, count, number, plain, plural, seconds } from "../model/format";
import { readInstance, type Instance } from "../model/instance";
import type { ProblemDocument } from "../model/documents";
import { balance, readRoutes, type Routes } from "../model/routes";
import { goalWords, timeText } from "../model/times";
import { Trace } from "../model/trace";
import { Client, ServiceError, type SolversAnswer } from "../service/client";
import { Camera } from "../view/camera";
import { ChartView, type Series } from "../view/chart";
import { byId, download, make, setText } from "../view/elements";
import { hideComplaint, showComplaint } from "../view/faults";
import { readInk, type Ink } from "../view/ink";
import { MapView } from "../view/map";
import { RunListView } from "../view/runList";
import { ScheduleView } from "../view/schedule";
import { StopListView } from "../view/stopList";
import { oncePerFrame } from "../view/surface";
import { sorted, TableView, type Sorting, type SortKey } from "../view/table";
import { Tiles } from "../view/tiles";
import { Construction } from "./construction";
import { example, EXAMPLES, listenForFiles, readOptions, type NamedFile } from "./files";
import { picture } from "./picture";
import { isLive, Runs, titleOf, waitingWords, type Run } from "./runs";
import { listenForKeys } from "./shortcuts";
import { ThemeSwitch } from "./theme";
import { hideTip, showTip } from "./tip";

const EARLIER_RUNS = 8;
const ANNOUNCE_MS = 2500;
// Reasons are told for so many of those that are left out.
const MOST_LEFT_OUT = 100;
const phone = window.matchMedia("(max-width: 720px)");

export class App {
  private readonly client = new Client();
  private readonly runs = new Runs(this.client, (run, improved) => this.runChanged(run, improved));
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
  private readonly stopList = new StopListView(byId("stops-panel"), byId("stops-head"), byId("stops"));
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
    });
    this.runList = new RunListView(byId("runs"), {
      show: (run) => void this.showRun(run),
      compare: (run) => void this.compare(run),
    });
    this.tieCameras();
    this.theme = new ThemeSwitch(() => this.themeChanged());
    this.themeChanged();
    this.listen();
    byId<HTMLDetailsElement>("random").open = !phone.matches;
    this.client.askToken = (refused) => askToken(refused);
  }

  async begin(): Promise<void> {
    await this.attempt("The service cannot be used", async () => {
      this.about = await this.client.solvers();
      const { solvers } = this.about;
      this.runs.atOnce = new Set(solvers.filter((each) => !each.anytime).map((each) => each.name));
      setText(byId("version"), this.about.version);
      if (this.about.tiles) this.tiles = new Tiles(this.about.tiles, () => this.askRender());
      this.listSolvers();
      await this.runs.loadEarlier(EARLIER_RUNS);
    });
    this.askRender();
  }

  // What the controls do

  private listen(): void {
    listenForFiles((files) => void this.read(files));
    for (const place of ["example", "empty"]) {
      for (const name of ["deliveries", "couriers"] as const) {
        byId(`${place}-${name}`).addEventListener("click", () => void this.openExample(name));
      }
    }
    byId("generate").addEventListener("submit", (event) => {
      event.preventDefault();
      void this.generate();
    });
    byId("kind").addEventListener("change", () => this.listSolvers());
    byId("example-day").addEventListener("click", () => void this.openExample("day"));
    byId("solver").addEventListener("change", () => this.describeSolver());
    byId("solve").addEventListener("submit", (event) => {
      event.preventDefault();
      void this.solve();
    });
    byId("stop").addEventListener("click", () => void this.stop());
    byId("trace").addEventListener("click", () => void this.construct());
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
      { Enter: () => byId<HTMLFormElement>("solve").requestSubmit() },
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

  private async read(files: NamedFile[]): Promise<void> {
    if (files.length === 0) return;
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
        const { problem } = await this.client.read(joined, readOptions());
        this.take(problem);
      },
      alone ? "Stops and vehicles are two CSV files: drop the other one now, or both at once." : undefined,
    );
    this.half = !done && alone ? joined[0]! : null;
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

  private take(problem: ProblemDocument): void {
    this.construction.close();
    this.instance = readInstance(problem);
    this.shown = this.other = null;
    this.pinned = this.pointed = -1;
    this.sorting = { key: "vehicle", descending: false };
    byId<HTMLSelectElement>("kind").value = problem.problem;
    this.listSolvers();
    this.refreshInk();
    this.announce(`${this.words(this.instance)} loaded`);
    this.askRender();
  }

  private async solve(): Promise<void> {
    const instance = this.instance;
    if (!instance || (this.shown && isLive(this.shown))) return;
    this.construction.close();
    await this.attempt("This cannot be solved", async () => {
      const limit = Number(field("limit"));
      const run = await this.runs.start(instance, field("solver"), limit, Number(field("seed")));
      this.shown = run;
      if (this.other?.instance !== instance) this.other = null;
      this.announce("Solving");
      if (phone.matches) byId("headline-panel").scrollIntoView({ behavior: "smooth" });
    });
    this.askRender();
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
    await this.attempt("This run cannot be shown", async () => {
      await this.runs.open(run);
      this.construction.close();
      if (run === this.other) this.other = this.shown;
      this.shown = run;
      if (this.other === run) this.other = null;
      this.setInstance(run.instance!);
    });
    this.askRender();
  }

  private async compare(run: Run): Promise<void> {
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
    this.stopList.show(this.construction.moment ? null : this.routes(), this.pinned);
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
      objective: routes.objective,
      meaning: meaning(routes.instance),
      vehicles: routes.vehicles.length,
    });
    download(blob, `${this.fileName()}.png`);
  }

  private fileName(): string {
    const name = this.instance ? titleOf(this.instance) : "plan";
    return name.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "plan";
  }

  // What is shown

  private runChanged(run: Run, improved: boolean): void {
    if (run === this.shown && improved && Date.now() - this.announced > ANNOUNCE_MS) {
      this.announce(`${meaning(run.instance!)} ${number(run.objective!)}`);
    }
    if (run === this.shown && !isLive(run)) {
      const end = run.objective === null ? "" : `, ${meaning(run.instance!)} ${number(run.objective)}`;
      this.announce(`Run ${run.status}${end}`);
      if (run.status === "failed" || run.error) {
        showComplaint({ title: `The run ${run.status}`, message: run.error ?? "No reason was given.", faults: [] });
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
    this.showFollowed();
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
    const tasks = instance.taskX.length;
    const what = instance.kind === "hcvrp" ? plural(tasks, "customer") : plural(instance.numOrders, "order");
    return `${titleOf(instance)} · ${what}, ${plural(instance.vehicleNames.length, "vehicle")}`;
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
    setText(byId("headline-label"), instance ? meaning(instance) + (moment ? " so far" : "") : "Objective");
    const value = moment ? routes?.objective : shown?.objective;
    setText(byId("headline-value"), value == null ? "–" : number(value));
    setText(byId("headline-unit"), value == null || !instance ? "" : goalWords(instance.times)[1]);
    const [change, since] = byId("headline-change").children;
    const words = this.changeWords(moment !== null);
    setText(change!, words[0]);
    setText(since!, words[1]);
    setFacts(routes ? this.facts(routes) : []);
    this.renderLeftOut(moment ? null : shown);
    this.stopList.show(moment ? null : routes, this.pinned);
    const tied = this.otherRoutes();
    this.renderTable(routes, tied);
    const series = [shown, other].filter((run): run is Run => run !== null && run.history.length > 0);
    const limit = Math.max(0, ...[shown, other].map((run) => (run && isLive(run) ? (run.limit ?? 0) : 0)));
    this.chart.show({ series: series.map((run) => this.seriesOf(run)), limit, ink: this.ink });
    const told = series.map((run) => `${run.solver}: from ${number(run.history[0]![1])} to ${number(run.objective!)}`);
    byId("chart").setAttribute("aria-label", `Objective over time. ${told.join("; ") || "Empty"}`);
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
      facts.push(["Mean arrival", number(routes.objective / Math.max(1, routes.instance.numOrders))]);
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
    enable("trace", instance !== null);
    enable("save-plan", shown?.plan != null && !this.construction.moment);
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

function enable(id: string, enabled: boolean): void {
  byId<HTMLButtonElement>(id).disabled = !enabled;
}

function meaning(instance: Instance): string {
  return goalWords(instance.times)[0];
}

function runWords(run: Run | null): string {
  if (!run) return "";
  const value = run.objective === null ? "" : ` · ${number(run.objective)}`;
  const limit = run.limit === null ? "" : `${plain(run.limit)} s, `;
  return `${run.solver}, ${limit}seed ${run.seed}${value}`;
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

function axisWords(instance: Instance): string {
  const { times } = instance;
  if (times.day) return times.clock ? "by the clock" : times.timeWord ? times.unit : "time";
  if (instance.kind === "hcvrp") return instance.origin ? "hours" : "time";
  const unit = instance.origin ? "kilometres" : "distance";
  return `${unit} driven; dots are deliveries, strong with much on board`;
}

function mapWords(instance: Instance, routes: Routes | null): string {
  const what = instance.kind === "hcvrp" ? "customers around a depot" : "pickups and deliveries";
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
  if (run.status === "queued") return waitingWords(run);
  const iterations = run.iterations > 0 ? `, ${plural(run.iterations, "iteration")}` : "";
  const word = run.status === "running" ? "" : `${run.status[0]!.toUpperCase()}${run.status.slice(1)}, `;
  const of = run.status === "running" ? ` of ${plain(run.limit ?? 0)} s` : "";
  const time = run.status === "running" ? run.time.toFixed(1) : seconds(run.time);
  return `${word}${time}${of}${iterations}`;
}

function saveJson(value: unknown, name: string): void {
  download(new Blob([`${JSON.stringify(value, null, 1)}\n`], { type: "application/json" }), name);
}

async function askToken(refused: boolean): Promise<string | null> {
  const dialog = byId<HTMLDialogElement>("token");
  if (dialog.open) return null;
  byId("token-refused").hidden = !refused;
  byId<HTMLInputElement>("token-value").value = "";
  dialog.returnValue = "";
  dialog.showModal();
  await new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
  const given = field("token-value").trim();
  return dialog.returnValue === "ok" && given !== "" ? given : null;
}
