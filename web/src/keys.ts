// What each key does.

import type { Bar } from "./bar";
import type { Session } from "./session";

export interface KeyActions {
  help(): void;
  fitCamera(): void;
  copyLink(): void;
  shoot(): void;
  theme(): void;
  tab(index: number): void;
}

export function listenToKeys(session: Session, bar: Bar, actions: KeyActions): void {
  const step = () => session.send({ do: "step", count: 1 });
  const back = () => session.send({ do: "back", count: 1 });
  const play = () => bar.togglePlay();
  const keys: Record<string, () => void> = {
    " ": play,
    p: play,
    ".": step,
    arrowright: step,
    ",": back,
    arrowleft: back,
    r: () => session.send({ do: "restart" }),
    "[": () => bar.nextScene(-1),
    "]": () => bar.nextScene(1),
    b: actions.shoot,
    s: () => session.send({ do: "record" }),
    f: actions.fitCamera,
    l: actions.copyLink,
    t: actions.theme,
    "?": actions.help,
    escape: () => session.select(null),
    "1": () => actions.tab(0),
    "2": () => actions.tab(1),
    "3": () => actions.tab(2),
    "4": () => actions.tab(3),
  };
  // Before the focused slider or button takes the key for itself.
  addEventListener(
    "keydown",
    (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || takesKeys(event)) return;
      const action = keys[event.key.toLowerCase()];
      if (action === undefined) return;
      event.preventDefault();
      action();
    },
    { capture: true },
  );
  // What was pressed with the mouse would take the space bar for itself; what was reached by keyboard keeps it.
  addEventListener("click", ({ detail }) => {
    const focused = document.activeElement;
    if (detail > 0 && focused instanceof HTMLElement && focused.matches("button, input")) focused.blur();
  });
}

/** Whether the key belongs to the element that has the focus: a picker, a dialog, a button about to be pressed. */
function takesKeys({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.closest("dialog[open], textarea") !== null) return key !== "?";
  if (target instanceof HTMLSelectElement) return key.startsWith("Arrow") || key === " " || key.length === 1;
  if (target instanceof HTMLButtonElement || target.closest("summary") !== null) return key === " ";
  const own = target instanceof HTMLInputElement && target.closest(".timeline") === null;
  return own && (key === " " || key.startsWith("Arrow"));
}
