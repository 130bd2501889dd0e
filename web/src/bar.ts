// The bar at the top: which scene, and the buttons that run it.

import { download, element, fromBase64, iconButton, setIcon } from "./dom";
import type { Session } from "./session";
import { toggleTheme } from "./theme";

const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4];

export interface BarActions {
  help(): void;
  copyLink(): void;
  fitCamera(): void;
  shoot(): void;
}

export class Bar {
  readonly root: HTMLElement;
  private readonly picker = element("select", { "aria-label": "Scene", title: "Scene ([ and ])" });
  private readonly shows = element("p", { class: "shows" });
  private readonly badge = element(
    "span",
    { class: "badge", hidden: true, title: "What happens is what was recorded, until somebody interferes" },
    "recording",
  );
  private readonly play: HTMLButtonElement;

  constructor(
    private readonly session: Session,
    actions: BarActions,
  ) {
    this.play = iconButton("play", "Play (Space)", () => this.togglePlay());
    this.play.classList.add("main");
    const speed = element("select", { "aria-label": "Speed", title: "Speed", class: "speed" });
    for (const factor of SPEEDS) {
      speed.append(element("option", { value: factor, selected: factor === 1 }, `${factor}×`));
    }
    speed.addEventListener("change", () => session.send({ do: "speed", factor: Number(speed.value) }));
    this.picker.addEventListener("change", () => session.send({ do: "scene", name: this.picker.value }));
    // The keys are the scene's again.
    for (const select of [speed, this.picker]) select.addEventListener("change", () => select.blur());
    // Of no use where a recording is played.
    const live = (icon: Parameters<typeof iconButton>[0], title: string, press: () => void) => {
      const button = iconButton(icon, title, press);
      button.classList.add("live");
      return button;
    };
    this.root = element(
      "header",
      { class: "bar" },
      element("strong", { class: "brand" }, "carom"),
      element(
        "div",
        { class: "scene" },
        live("previous", "Previous scene ([)", () => this.nextScene(-1)),
        this.picker,
        live("next", "Next scene (])", () => this.nextScene(1)),
      ),
      this.badge,
      this.shows,
      element(
        "div",
        { class: "run", role: "group", "aria-label": "Run" },
        iconButton("restart", "Restart (R)", () => session.send({ do: "restart" })),
        iconButton("back", "Back one frame (← or ,)", () => session.send({ do: "back", count: 1 })),
        this.play,
        iconButton("step", "Step one frame (→ or .)", () => session.send({ do: "step", count: 1 })),
        speed,
      ),
      element(
        "div",
        { class: "tools", role: "group", "aria-label": "Tools" },
        live("shoot", "Shoot a ball (B)", actions.shoot),
        live("save", "Save what has happened as a recording (S)", () => session.send({ do: "record" })),
        iconButton("camera", "Show all of the scene (F)", actions.fitCamera),
        iconButton("link", "Copy a link to this scene, frame and camera (L)", actions.copyLink),
        iconButton("theme", "Light or dark (T)", toggleTheme),
        iconButton("help", "Help (?)", actions.help),
      ),
    );
    session.on("hello", ({ scenes }) => {
      this.picker.replaceChildren(...scenes.map(({ name }) => element("option", { value: name }, name)));
      this.root.classList.toggle("recorded", session.source.recorded);
    });
    session.on("scene", ({ name, shows }) => {
      if (![...this.picker.options].some(({ value }) => value === name)) {
        this.picker.prepend(element("option", { value: name }, name));
      }
      this.picker.value = name;
      this.shows.textContent = shows;
      this.shows.title = shows;
      document.title = `${name} · carom`;
    });
    session.on("recording", ({ name, base64 }) => download(name, fromBase64(base64)));
    session.on("state", ({ playing, recorded }) => {
      this.badge.hidden = !recorded;
      if (playing) setIcon(this.play, "pause", "Pause (Space)");
      else setIcon(this.play, "play", "Play (Space)");
    });
  }

  togglePlay(): void {
    this.session.send({ do: this.session.playing ? "pause" : "play" });
  }

  nextScene(by: number): void {
    const { options, selectedIndex } = this.picker;
    const name = options[(selectedIndex + by + options.length) % options.length]?.value;
    if (name !== undefined && options.length > 1) this.session.send({ do: "scene", name });
  }
}
