// Making elements in one call.

type Properties = Record<string, string | number | boolean | ((event: Event) => void)>;

/** An element with attributes (`class`, `title`, `aria-label`…), handlers (functions, by event name) and children. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Properties = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (typeof value === "boolean") made.toggleAttribute(name, value);
    else made.setAttribute(name, String(value));
  }
  made.append(...children);
  return made;
}

/** A button that shows an icon and says in words what it does. */
export function iconButton(icon: keyof typeof ICONS, title: string, press: () => void): HTMLButtonElement {
  const button = element("button", { type: "button", class: "icon", click: press });
  setIcon(button, icon, title);
  return button;
}

/** Hands the user a file. */
export function download(name: string, bytes: Uint8Array<ArrayBuffer>): void {
  const address = URL.createObjectURL(new Blob([bytes]));
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** Bytes of a base64 text. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

export function setIcon(button: HTMLButtonElement, icon: keyof typeof ICONS, title: string): void {
  button.title = title;
  button.setAttribute("aria-label", title);
  button.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true">${ICONS[icon]}</svg>`;
}

const ICONS = {
  play: '<path d="M7 4.5v15l13-7.5z"/>',
  pause: '<path d="M6 4.5h4.5v15H6zM13.5 4.5h4.5v15h-4.5z"/>',
  step: '<path d="M5 5v14l10-7zM16.5 5h3v14h-3z"/>',
  back: '<path d="M19 5v14L9 12zM4.5 5h3v14h-3z"/>',
  restart: '<path d="M12 5a7 7 0 1 1-6.7 5H3a9.2 9.2 0 1 0 3-4.6L3.5 3v7H10L7.5 7A7 7 0 0 1 12 5z"/>',
  previous: '<path d="M15.5 4.5 8 12l7.5 7.5 1.8-1.8L11.6 12l5.7-5.7z"/>',
  next: '<path d="m8.5 4.5 7.5 7.5-7.5 7.5-1.8-1.8 5.7-5.7-5.7-5.7z"/>',
  link:
    '<path d="M10.6 13.4a4 4 0 0 0 5.7 0l3-3a4 4 0 0 0-5.7-5.7l-1.5 1.5 1.4 1.4 1.5-1.5a2 2 0 0 1 2.9 2.9l-3 3a2 2 0 0 1-2.9 0z" />' +
    '<path d="M13.4 10.6a4 4 0 0 0-5.7 0l-3 3a4 4 0 0 0 5.7 5.7l1.5-1.5-1.4-1.4L9 17.9A2 2 0 0 1 6.1 15l3-3a2 2 0 0 1 2.9 0z"/>',
  theme: '<path d="M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm0 2.2v13.6a6.8 6.8 0 0 1 0-13.6z"/>',
  help: '<path d="M11 17h2.2v2.2H11zM12 3.5A5 5 0 0 0 7 8.5h2.2A2.8 2.8 0 1 1 12 11.3c-.7 0-1 .5-1 1.2v2.7h2.2v-1.9A5 5 0 0 0 12 3.5z"/>',
  save: '<path d="M10.8 3h2.4v9.2l3.3-3.3 1.6 1.6-6.1 6.1-6.1-6.1 1.6-1.6 3.3 3.3zM4 18.6h16V21H4z"/>',
  camera:
    '<path d="M4 4h6v2.2H6.2V10H4zm10 0h6v6h-2.2V6.2H14zM4 14h2.2v3.8H10V20H4zm13.8 0H20v6h-6v-2.2h3.8z"/>' +
    '<path d="M12 9a3 3 0 1 1 0 6 3 3 0 0 1 0-6z"/>',
  shoot:
    '<path d="M12 2v4m0 12v4M2 12h4m12 0h4" stroke="currentColor" stroke-width="2"/><circle cx="12" cy="12" r="4"/>',
} as const;

/** A number in as few digits as say something. */
export function short(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return value.toExponential(2);
  return String(Number(value.toPrecision(4)));
}

export function vectorText(vector: readonly number[]): string {
  return `(${vector.map(short).join(", ")})`;
}
