/** What lies on the desk: the problem, the plans that are shown, the vehicle that is followed. */

import type { ProblemDocument } from "../model/documents";
import { plural } from "../model/format";
import { readInstance, type Instance } from "../model/instance";
import type { Theme } from "../model/palette";
import type { Routes } from "../model/routes";
import { goalText, goalWord } from "../model/times";
import { ServiceError, type SolversAnswer } from "../service/client";
import { byId, setText } from "../view/elements";
import { hideComplaint, hideRemarks, showComplaint, showRemarks } from "../view/faults";
import { readInk, type Ink } from "../view/ink";
import type { Sorting } from "../view/table";
import type { Tiles } from "../view/tiles";
import type { Construction } from "./construction";
import { fleetOf, seatsOf } from "./rests";
import type { Run } from "./runs";
import { fewOfEach } from "./violations";
import { instanceWords } from "./words";

export class Desk {
  about: SolversAnswer | null = null;
  instance: Instance | null = null;
  shown: Run | null = null;
  other: Run | null = null;
  tiles: Tiles | null = null;
  pointed = -1;
  pinned = -1;
  sorting: Sorting = { key: "vehicle", descending: false };
  /** The address that is being opened: until it is, what is shown does not change the address. */
  visit: symbol | null = null;
  /** When something was last said aloud. */
  announced = 0;
  private theme: Theme = "light";
  private inks = new WeakMap<Instance, Ink>();
  private plainInk: Ink | null = null;

  constructor(
    readonly construction: Construction,
    readonly askRender: () => void,
    /** Called when another problem is on the desk. */
    private readonly changed: () => void,
  ) {}

  /** The colours of what is on the desk. */
  get ink(): Ink {
    return this.inkOf(this.instance);
  }

  /** The colours of a problem: who drove in the morning looks the same in the rest of the day. */
  inkOf(instance: Instance | null): Ink {
    if (!instance) return (this.plainInk ??= readInk(this.theme, [], 0));
    const known = this.inks.get(instance);
    if (known) return known;
    const seats = seatsOf(instance);
    const ink = readInk(this.theme, seats, Math.max(fleetOf(instance).length, ...seats.map((seat) => seat + 1)));
    this.inks.set(instance, ink);
    return ink;
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.inks = new WeakMap();
    this.plainInk = null;
  }

  /** The construction's routes while one steps through it, otherwise the run's. */
  routes(): Routes | null {
    const { moment } = this.construction;
    if (moment) return moment.trace.routesAfter(moment.step);
    return this.shown?.routes ?? null;
  }

  otherRoutes(): Routes | null {
    return this.other?.instance === this.instance ? (this.other?.routes ?? null) : null;
  }

  vehicleName(vehicle: number): string | null {
    return vehicle < 0 ? null : (this.instance?.vehicleNames[vehicle] ?? null);
  }

  setInstance(instance: Instance): void {
    if (instance === this.instance) return;
    this.instance = instance;
    hideRemarks();
    this.pinned = this.pointed = -1;
    byId<HTMLSelectElement>("kind").value = instance.kind;
    this.changed();
  }

  take(problem: ProblemDocument, remarks: string[] = []): void {
    this.visit = null;
    this.construction.close();
    this.instance = readInstance(problem);
    this.shown = this.other = null;
    this.pinned = this.pointed = -1;
    this.sorting = { key: "vehicle", descending: false };
    byId<HTMLSelectElement>("kind").value = problem.problem;
    this.changed();
    this.announce(`${instanceWords(this.instance)} loaded`);
    showRemarks(remarks);
    this.askRender();
  }

  /** Show a run without letting go of the vehicle that is followed. */
  show(run: Run): void {
    const { pinned } = this;
    this.shown = run;
    if (this.other === run || this.other?.instance !== run.instance) this.other = null;
    this.setInstance(run.instance!);
    this.pinned = pinned;
  }

  /** Tell what the checker found about the plan that is shown. */
  checked(): void {
    const run = this.shown;
    if (!run || run.kept) return;
    this.tellViolations(run);
    const { times } = run.instance!;
    const value = goalText(times, run.objective!, run.routes?.latest).join(" ");
    const rules = run.violations.length > 0 ? `, breaks ${plural(run.violations.length, "rule")}` : "";
    this.announce(`${goalWord(times)} ${value}${rules}`);
    this.askRender();
  }

  tellViolations(run: Run): void {
    if (run.violations.length === 0) return;
    showComplaint({
      title: `This plan breaks ${plural(run.violations.length, "rule")}`,
      message: "",
      faults: fewOfEach(run.violations),
      advice: "“Plan again from here” mends it.",
    });
  }

  announce(text: string): void {
    this.announced = Date.now();
    setText(byId("live"), text);
  }

  /** Do something that may fail; say why it did. */
  async attempt(title: string, act: () => Promise<void>, advice?: string): Promise<boolean> {
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
