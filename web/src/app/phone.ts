/** On a phone all is one column, and the result is below what one does. */

import { byId } from "../view/elements";

const phone = window.matchMedia("(max-width: 720px)");

/** It comes into view once it is drawn. */
export function showResult(): void {
  if (phone.matches) requestAnimationFrame(() => byId("headline-panel").scrollIntoView());
}
