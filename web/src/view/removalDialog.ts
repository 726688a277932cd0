/** Asks before a plan is deleted: that cannot be taken back. */

import { byId, setText } from "./elements";

export async function askRemoval(words: string, title: string, kept: boolean): Promise<boolean> {
  const dialog = byId<HTMLDialogElement>("removal");
  setText(byId("removal-what"), `${title}, ${words}`);
  setText(
    byId("removal-words"),
    kept ? "Its address stops working for everybody, and its stops are removed from the service." : "It is only here, and nowhere else.",
  );
  dialog.returnValue = "";
  dialog.showModal();
  await new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
  return dialog.returnValue === "ok";
}
