/** What a plan comes to: the headline, a few facts, its course, and what is left out. */

import { balance, type Routes } from "../model/routes";
import { change, count, number } from "../model/format";
import { scaleFor } from "../model/scale";
import { goalMeaning, goalText, goalWord, spanText, timeText } from "../model/times";
import { ChartView, type Series } from "../view/chart";
import { byId, make, setText } from "../view/elements";
import type { Client } from "../service/client";
import { Comparing, type Fact } from "./comparing";
import type { Desk } from "./desk";
import { isLive, type Run } from "./runs";
import { leftOutWords } from "./words";

// Reasons are told for so many of those that are left out.
const MOST_LEFT_OUT = 100;

// In the words of the command line.
const MEANINGS: Record<string, string> = { Balance: "Mean finish over latest: how evenly the work is shared" };

export class Figures {
  private readonly chart = new ChartView(byId("chart"));
  private readonly comparing: Comparing;

  constructor(
    private readonly desk: Desk,
    client: Client,
  ) {
    this.comparing = new Comparing(desk, client);
  }

  render(routes: Routes | null): void {
    const { shown, other, instance } = this.desk;
    const { moment } = this.desk.construction;
    const leftOut = moment ? "" : leftOutWords(routes);
    const nobody = leftOut !== "" && routes?.served === 0;
    const goal = instance ? goalWord(instance.times) + (moment ? " so far" : "") : "Home by";
    setText(byId("headline-label"), nobody ? leftOut : goal);
    byId("headline-label").title = instance ? goalMeaning(instance.times) : "";
    const value = moment ? routes?.objective : shown?.objective;
    const told = value == null || !instance || nobody ? ["–", ""] : goalText(instance.times, value, routes?.latest);
    const headline = byId("headline-value");
    setText(headline, told[0]!);
    setText(byId("headline-unit"), [told[1]!, nobody ? "" : leftOut].filter((part) => part !== "").join(", "));
    // To the last digit for who compares methods.
    headline.title = value == null ? "" : String(value);
    const [change, since] = byId("headline-change").children;
    const words = this.changeWords(moment !== null);
    setText(change!, words[0]);
    setText(since!, words[1]);
    setFacts(routes && !nobody ? this.facts(routes) : []);
    this.comparing.render();
    this.renderLeftOut(moment ? null : shown);
    const series = [shown, other].filter((run): run is Run => run !== null && run.history.length > 0);
    const limit = Math.max(0, ...[shown, other].map((run) => (run && isLive(run) ? (run.limit ?? 0) : 0)));
    const scale = scaleFor(instance?.times ?? null, shown?.objective ?? null, shown?.routes?.latest ?? null);
    this.chart.show({ series: series.map((run) => this.seriesOf(run)), limit, scale, ink: this.desk.ink });
    // A plan that was there at once did not get better over time.
    byId("chart-panel").hidden = shown !== null && limit === 0 && series.every((run) => run.history.length < 2);
    const course = series.map((run) => `${run.solver}: from ${scale.text(run.history[0]![1])} to ${scale.text(run.objective!)}`);
    byId("chart").setAttribute("aria-label", `How the plan got better. ${course.join("; ") || "Empty"}`);
  }

  private seriesOf(run: Run): Series {
    const second = run === this.desk.other;
    return {
      label: this.desk.other ? (second ? "B" : "A") : "",
      points: run.history,
      until: run.time,
      colour: second ? this.desk.ink.quiet : this.desk.ink.accent,
      dashed: second,
    };
  }

  private changeWords(constructing: boolean): [string, string] {
    const { shown, other } = this.desk;
    if (constructing || !shown || shown.objective === null) return ["", ""];
    if (other?.objective != null && other.instance === this.desk.instance) {
      const [own, others] = [shown, other].map((run) => run.routes?.leftOut ?? 0);
      if (own !== others) return [`${count(own!)} left out`, `in A, ${count(others!)} in B`];
      return [change(other.objective, shown.objective), "A against B"];
    }
    if (shown.from !== null) return [change(shown.from, shown.objective), "by your changes"];
    const first = shown.history[0]?.[1];
    if (first === undefined || shown.history.length < 2) return ["", ""];
    return [change(first, shown.objective), "since the first plan"];
  }

  private facts(routes: Routes): Fact[] {
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
    const above = this.comparing.fact();
    const told = facts.map(([name, value]) => ({ name, value, meaning: MEANINGS[name] ?? "" }));
    return above ? [...told, above] : told;
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
}

function setFacts(facts: Fact[]): void {
  const list = byId("facts");
  const told = JSON.stringify(facts);
  if (list.dataset.told === told) return;
  list.dataset.told = told;
  list.replaceChildren(
    ...facts.map(({ name, value, meaning, wide }) => {
      const fact = make("div", wide ? "wide" : "", make("dt", "", name), make("dd", "", value));
      fact.title = meaning;
      return fact;
    }),
  );
}
