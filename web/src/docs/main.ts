/** The page at /docs: every operation of the service, described and to be tried. */

import { ThemeSwitch } from "../app/theme";
import { listenForKeys } from "../app/shortcuts";
import { askToken } from "../view/tokenDialog";
import { Client, ServiceError } from "../service/client";
import { byId, make, setText } from "../view/elements";
import { OperationView, prose } from "./operation";
import { placesOf, type OpenApi, type Place } from "./openapi";

const theme = new ThemeSwitch(() => undefined);
const client = new Client();
client.askToken = askToken;

async function begin(): Promise<void> {
  listen();
  let api: OpenApi;
  try {
    api = await client.get<OpenApi>("openapi.json");
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    setText(byId("trouble"), error.message);
    byId("trouble").hidden = false;
    return;
  }
  setText(byId("version"), api.info.version);
  byId("description").replaceChildren(...prose(api.info.description));
  const views = placesOf(api).map((place) => new OperationView(api, place, client));
  byId("list").replaceChildren(...views.map((view) => view.element));
  byId("contents").replaceChildren(...views.map((view) => entry(view)));
  const filter = byId<HTMLInputElement>("filter");
  filter.addEventListener("input", () => {
    for (const [i, view] of views.entries()) {
      const found = matches(view.place, filter.value);
      view.element.hidden = !found;
      (byId("contents").children[i] as HTMLElement).hidden = !found;
    }
    const left = views.filter((view) => !view.element.hidden).length;
    setText(byId("live"), `${left} of ${views.length} operations`);
  });
  const openNamed = () => views.find((view) => `#${view.element.id}` === decodeURIComponent(location.hash))?.open();
  window.addEventListener("hashchange", openNamed);
  openNamed();
}

function entry(view: OperationView): HTMLLIElement {
  const { method, path, operation } = view.place;
  const link = make("a", "", make("span", `method ${method}`, method), make("code", "", path));
  link.href = `#${view.element.id}`;
  link.title = operation.summary;
  // Also when it is the address already, which would change nothing.
  link.addEventListener("click", () => view.open());
  return make("li", "", link);
}

function matches({ method, path, operation }: Place, text: string): boolean {
  const all = `${method} ${path} ${operation.operationId} ${operation.summary} ${operation.description ?? ""}`.toLowerCase();
  return text.toLowerCase().split(/\s+/).every((word) => all.includes(word));
}

function listen(): void {
  byId("theme").addEventListener("click", () => theme.toggle());
  listenForKeys({ t: () => theme.toggle(), "/": () => byId("filter").focus() }, {});
}

void begin();
