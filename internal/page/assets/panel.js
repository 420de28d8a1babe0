// A panel: title, caption, legend, chart, and data table.

const hint = "Use the arrow keys to move between values, + and − to zoom, Escape to reset.";

class Panel {
  constructor(panel) {
    this.panel = panel;
    this.title = make("h3", { id: `title-${panel.name}` });
    this.intro = make("p", { class: "intro", id: `intro-${panel.name}` });
    this.legend = make("div", { class: "legend" });
    this.all = button("Reset zoom", { hidden: true, class: "reset" }, () => {
      this.chart.reset();
      this.host.focus({ preventScroll: true });
    });
    const tool = (sign, label, factor) => button(sign, { "aria-label": label, title: label, class: "zoom" },
      () => this.chart?.zoomBy(factor));
    this.tools = make("div", { class: "tools" }, this.all, tool("−", "Zoom out", 2), tool("+", "Zoom in", 0.5));
    this.host = make("div", {
      class: "plot", tabindex: 0, role: "group", "aria-roledescription": "chart",
      "aria-labelledby": this.title.id, "aria-describedby": `${this.intro.id} keys-of-charts`,
    });
    this.empty = make("p", { class: "empty" });
    this.numbers = numbers.details(() => this.panel);
    this.element = make("figure", { class: "panel", id: `panel-${panel.name}` },
      make("div", { class: "top" }, this.title, this.tools), this.intro, this.legend, this.host, this.empty,
      this.numbers);
  }

  // set shows a panel. Its element must be in the page, because the chart needs its width.
  set(panel) {
    this.panel = panel;
    this.title.textContent = panel.title;
    this.intro.textContent = panel.intro ?? "";
    this.intro.hidden = !panel.intro;
    const nothing = !hasData(panel);
    this.empty.textContent = panel.empty || "No data.";
    this.empty.hidden = !nothing;
    for (const part of [this.host, this.legend, this.tools, this.numbers]) part.hidden = nothing;
    if (nothing) return this.drop();
    if (this.chart) this.chart.set(panel);
    else this.chart = new Chart(panel, this.host, () => this.zoomed());
    this.zoomed();
    this.drawLegend();
  }

  zoomed() {
    if (this.chart) this.all.hidden = !this.chart.zoomed();
  }

  drop() {
    this.chart?.destroy();
    this.chart = null;
  }

  drawLegend() {
    const entries = legends.of(this.panel);
    const key = JSON.stringify([entries, theme.dark()]);
    if (key === this.legendKey) return;
    this.legendKey = key;
    const at = [...this.legend.children].indexOf(document.activeElement);
    this.legend.replaceChildren(...legends.make(entries, this.chart));
    if (at >= 0) this.legend.children[at]?.focus({ preventScroll: true });
  }

  // redraw redraws in the current theme.
  redraw() {
    if (!this.chart) return;
    this.drawLegend();
    this.chart.plot.redraw(false, true);
  }

  // print sets the width for printing, or resets it.
  print(width) {
    if (!this.chart) return;
    this.chart.fixed = width;
    this.chart.leave();
    this.chart.resize();
  }
}

const hasData = (panel) => panel.heat || panel.spans?.length ||
  panel.series?.some((series) => series.y?.some((v) => v != null));
