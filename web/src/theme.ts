// Light and dark: follows the system until the user says otherwise.

export type Theme = "light" | "dark";

const KEY = "carom-theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const handlers: ((theme: Theme) => void)[] = [];

export function theme(): Theme {
  return chosen() ?? (system.matches ? "dark" : "light");
}

export function toggleTheme(): void {
  const other = theme() === "dark" ? "light" : "dark";
  try {
    localStorage.setItem(KEY, other);
  } catch {
    // Pages from disk may have no storage; the choice then lasts as long as the page.
    document.documentElement.dataset["chosen"] = other;
  }
  apply();
}

/** Calls `handler` now and whenever the theme changes. */
export function onTheme(handler: (theme: Theme) => void): void {
  handlers.push(handler);
  handler(theme());
}

function chosen(): Theme | null {
  let stored: string | null | undefined = document.documentElement.dataset["chosen"];
  try {
    stored ??= localStorage.getItem(KEY);
  } catch {
    stored ??= null;
  }
  return stored === "dark" || stored === "light" ? stored : null;
}

function apply(): void {
  document.documentElement.dataset["theme"] = theme();
  for (const handler of handlers) handler(theme());
}

system.addEventListener("change", apply);
apply();
