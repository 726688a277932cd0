/** Small helpers for the page's elements. */

export function byId<T extends HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

/** An element with a class and text or children; text is never read as markup. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className = "",
  ...children: (string | Node)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

/** Only touches the page when something changed, so that nothing flickers or is read out again. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export function download(blob: Blob, name: string): void {
  const link = make("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** What the user wrote or chose. */
export function field(id: string): string {
  return byId<HTMLInputElement | HTMLSelectElement>(id).value;
}
