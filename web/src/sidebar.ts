// The tabs at the right.

import { element } from "./dom";

export interface Tab {
  readonly name: string;
  readonly root: HTMLElement;
  /** Told when it comes to the front or leaves. */
  shown?(visible: boolean): void;
}

export class Sidebar {
  readonly root: HTMLElement;
  private readonly buttons: HTMLButtonElement[];
  private current = -1;

  constructor(private readonly tabs: readonly Tab[]) {
    this.buttons = tabs.map(({ name, root }, index) => {
      root.setAttribute("role", "tabpanel");
      root.id = `panel-${index}`;
      root.classList.add("panel");
      root.hidden = true;
      return element(
        "button",
        {
          type: "button",
          role: "tab",
          "aria-controls": root.id,
          title: `${name} (${index + 1})`,
          click: () => this.show(index),
        },
        name,
      );
    });
    const list = element("div", { role: "tablist", class: "tabs" }, ...this.buttons);
    this.root = element("aside", { class: "sidebar" }, list, ...tabs.map(({ root }) => root));
    this.show(0);
  }

  show(index: number): void {
    if (index === this.current) return;
    this.tabs[this.current]?.shown?.(false);
    this.current = index;
    this.tabs.forEach(({ root }, other) => (root.hidden = other !== index));
    this.buttons.forEach((button, other) => button.setAttribute("aria-selected", String(other === index)));
    this.root.dataset["tab"] = this.tabs[index]!.name.toLowerCase();
    this.tabs[index]!.shown?.(true);
  }

  showNamed(name: string): void {
    this.show(this.tabs.findIndex((tab) => tab.name === name));
  }
}
