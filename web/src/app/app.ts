/** The page as a whole: its parts put together, and drawn when something changes. */

import { Client, ServiceError } from "../service/client";
import { byId, make, setText } from "../view/elements";
import { hideComplaint, showComplaint } from "../view/faults";
import { drawNow, oncePerFrame } from "../view/surface";
import { Tiles } from "../view/tiles";
import { askToken } from "../view/tokenDialog";
import { Changes } from "./changes";
import { Construction } from "./construction";
import { renderControls } from "./controls";
import { Desk } from "./desk";
import { Figures } from "./figures";
import { Following } from "./following";
import { HandOut } from "./handOut";
import { HandWork } from "./handwork";
import { Intake } from "./intake";
import { Places } from "./places";
import { showResult } from "./phone";
import { PlanList } from "./planList";
import { Planning } from "./planning";
import { Replanning } from "./replanning";
import { isLive, Runs, type Run } from "./runs";
import { listenForKeys } from "./shortcuts";
import { SolverChoice } from "./solverChoice";
import { Stage } from "./stage";
import { ThemeSwitch } from "./theme";
import { objectiveWords, titleWords } from "./words";

// The newest plans are looked into at once, so that their list can tell what their numbers mean.
const OPENED_AT_ONCE = 8;
const ANNOUNCE_MS = 2500;

export class App {
  private readonly client = new Client();
  private readonly runs = new Runs(this.client, (run, improved) => this.runChanged(run, improved));
  private readonly desk: Desk;
  private readonly choice: SolverChoice;
  private readonly changes: Changes;
  private readonly following: Following;
  private readonly stage: Stage;
  private readonly figures: Figures;
  private readonly places: Places;
  private readonly planList: PlanList;
  private readonly planning: Planning;
  private readonly replanning: Replanning;
  private readonly theme: ThemeSwitch;
  private rendered = 0;
  private renderCost = 0;
  private waiting = 0;

  constructor() {
    const { client, runs } = this;
    const askRender = oncePerFrame(() => this.render());
    this.desk = new Desk(new Construction(askRender), askRender, () => this.choice.list());
    const { desk } = this;
    const handWork = new HandWork(client, runs);
    this.choice = new SolverChoice(desk);
    this.changes = new Changes(desk, handWork);
    this.following = new Following(desk, handWork, this.changes);
    this.stage = new Stage(desk, {
      point: (vehicle) => this.following.point(vehicle),
      pin: (vehicle) => this.following.pin(vehicle),
    });
    this.following.stage = this.stage;
    const fit = () => this.stage.fit();
    this.figures = new Figures(desk, client);
    this.places = new Places(desk, runs, handWork, fit);
    this.planList = new PlanList(desk, runs, fit);
    this.planning = new Planning(desk, client, runs, this.choice);
    this.replanning = new Replanning(desk, client, this.planning);
    new Intake(desk, client, handWork);
    new HandOut(desk, client, this.stage);
    this.theme = new ThemeSwitch(() => this.themeChanged());
    this.themeChanged();
    this.listen();
    client.askToken = askToken;
  }

  async begin(): Promise<void> {
    await this.desk.attempt("The service cannot be used", async () => {
      await this.learn();
      await this.planList.loadNewest();
    });
    void this.awaitStart();
    if (this.desk.about) await this.places.goToAddress();
    this.desk.askRender();
    if (this.desk.shown) showResult();
    await this.runs.openSome(OPENED_AT_ONCE);
    this.desk.askRender();
  }

  /** What the service can do. */
  private async learn(): Promise<void> {
    const about = await this.client.solvers();
    this.desk.about = about;
    this.runs.warming = !about.ready;
    this.runs.atOnce = new Set(about.solvers.filter((each) => !each.anytime).map((each) => each.name));
    setText(byId("version"), about.version);
    if (about.tiles) this.desk.tiles ??= new Tiles(about.tiles, this.desk.askRender);
    this.planList.usual = about.default;
    this.choice.list();
  }

  /** Only a service that is ready knows which solvers can be used. */
  private async awaitStart(): Promise<void> {
    await this.runs.watchStart(this.desk.askRender);
    if (this.desk.about?.ready !== false) return;
    try {
      await this.learn();
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error; // the service takes its usual solver
    }
  }

  private listen(): void {
    byId("complaint-close").addEventListener("click", hideComplaint);
    byId("theme").addEventListener("click", () => this.theme.toggle());
    const help = () => byId<HTMLDialogElement>("help").showModal();
    byId("help-open").addEventListener("click", help);
    const { map } = this.stage;
    const { construction } = this.desk;
    listenForKeys(
      {
        o: () => byId("open").click(),
        "+": () => map.zoomBy(1.5),
        "=": () => map.zoomBy(1.5),
        "-": () => map.zoomBy(1 / 1.5),
        "0": () => this.stage.fit(),
        "[": () => this.following.followNext(-1),
        "]": () => this.following.followNext(1),
        ",": () => construction.move(-1),
        ".": () => construction.move(1),
        " ": () => construction.toggle(),
        F2: () => this.planList.rename(this.desk.shown),
        t: () => this.theme.toggle(),
        "?": help,
        Escape: () => this.escape(),
      },
      {
        Enter: () => byId<HTMLFormElement>("solve").requestSubmit(),
        z: () => this.undo(),
      },
    );
  }

  private runChanged(run: Run, improved: boolean): void {
    if (run === this.desk.shown && improved && Date.now() - this.desk.announced > ANNOUNCE_MS) {
      this.desk.announce(objectiveWords(run));
    }
    if (run === this.desk.shown && !isLive(run)) {
      const end = run.objective === null ? "" : `, ${objectiveWords(run)}`;
      this.desk.announce(`Planning ${run.status}${end}`);
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
    const free = this.rendered + 3 * (this.renderCost + this.stage.map.cost);
    this.waiting = window.setTimeout(() => {
      this.waiting = 0;
      this.desk.askRender();
    }, Math.max(0, free - performance.now()));
  }

  private themeChanged(): void {
    if (!this.theme) return; // while it is being made
    this.desk.setTheme(this.theme.current);
    this.stage.setPaper(this.theme.paper);
    this.following.setPaper(this.theme.paper);
    this.desk.askRender();
    if (this.theme.paper) drawNow();
  }

  private render(): void {
    const began = performance.now();
    this.renderAll();
    this.rendered = performance.now();
    this.renderCost = this.rendered - began;
  }

  private renderAll(): void {
    const { instance } = this.desk;
    const routes = this.desk.routes();
    this.renderTitle();
    byId("empty").hidden = instance !== null;
    this.stage.render(routes);
    this.figures.render(routes);
    renderControls(this.desk, routes, this.runs.warming);
    this.replanning.render();
    this.planList.render();
    this.following.render(routes);
    this.places.keepPlace();
  }

  private renderTitle(): void {
    const title = byId("title");
    const { instance, shown } = this.desk;
    const [name, rest] = instance ? titleWords(instance, shown) : ["", ""];
    if (title.textContent === name + rest) return;
    title.replaceChildren();
    if (!instance) return;
    title.append(make("b", "", name), make("span", "quiet", rest));
    document.title = `${name} – GeoPAR`;
  }

  /** The last change, whether it was to a plan or to a name. */
  private undo(): void {
    if (this.planList.naming.lastMade > this.changes.lastMade) void this.planList.naming.undo();
    else this.changes.undo();
  }

  private escape(): void {
    if (this.desk.pinned >= 0) this.following.pin(this.desk.pinned);
    else if (this.desk.shown && isLive(this.desk.shown)) void this.planning.stop();
    else if (this.desk.construction.moment) this.desk.construction.close();
    else hideComplaint();
  }
}
