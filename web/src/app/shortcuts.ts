/** Keys that work anywhere but in a field. */

export interface Shortcuts {
  [key: string]: () => void;
}

export function listenForKeys(keys: Shortcuts, withControl: Shortcuts): void {
  window.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.altKey || document.querySelector("dialog[open]")) return;
    const target = event.target as Element;
    const typing = target.matches("input:not([type=range]), select, textarea");
    const control = event.ctrlKey || event.metaKey;
    // Space and Enter belong to whatever button has the focus.
    if (!control && (event.key === " " || event.key === "Enter") && target.matches("button, summary, a")) return;
    const act = control ? withControl[event.key] : typing && event.key !== "Escape" ? undefined : keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}
