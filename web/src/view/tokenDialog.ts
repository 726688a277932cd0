/** Asks for the token of a service that wants one. */

import { byId } from "./elements";

/** The token; null when none was given. */
export async function askToken(refused: boolean): Promise<string | null> {
  const dialog = byId<HTMLDialogElement>("token");
  if (dialog.open) return null;
  const value = byId<HTMLInputElement>("token-value");
  byId("token-refused").hidden = !refused;
  value.value = "";
  dialog.returnValue = "";
  dialog.showModal();
  await new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
  const given = value.value.trim();
  return dialog.returnValue === "ok" && given !== "" ? given : null;
}
