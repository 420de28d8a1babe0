// Starts the page.

const page = (() => {
  const shown = new Map(); // panels by name
  const box = document.getElementById("panels");

  // show shows panels in order. Existing ones keep their charts.
  function show(panels) {
    const names = new Set(panels.map((panel) => panel.name));
    for (const [name, old] of shown) {
      if (names.has(name)) continue;
      old.drop();
      old.element.remove();
      shown.delete(name);
    }
    const wide = widths(panels);
    panels.forEach((panel, i) => {
      const one = shown.get(panel.name) ?? new Panel(panel);
      shown.set(panel.name, one);
      if (box.children[i] !== one.element) box.insertBefore(one.element, box.children[i] ?? null);
      one.element.classList.toggle("wide", wide[i]);
      one.set(panel);
    });
    document.getElementById("charts").hidden = panels.length === 0;
  }

  // widths returns which panels take a whole row: those with spans, and those without a neighbour.
  function widths(panels) {
    const wide = panels.map((panel) => !!panel.spans?.length);
    for (let i = 0; i < panels.length; i++) {
      if (wide[i]) continue;
      if (i + 1 < panels.length && !wide[i + 1]) i++;
      else wide[i] = true;
    }
    return wide;
  }

  const over = (is) => document.documentElement.classList.toggle("running", !is);

  // tools adds the controls, which need a script.
  function tools() {
    const nav = document.getElementById("nav");
    const name = () => (theme.dark() ? "Light" : "Dark");
    const title = "Switch between the light and the dark theme";
    const change = button(name(), { class: "theme", title }, () => theme.choose(theme.dark() ? "light" : "dark"));
    theme.onChange(() => {
      change.textContent = name();
      shown.forEach((panel) => panel.redraw());
    });
    nav.append(change);
    document.getElementById("charts").append(make("p", { id: "said", class: "unseen", role: "status" }),
      make("p", { id: "keys-of-charts", class: "unseen" }, hint));
    if (document.body.dataset.events) {
      document.querySelector("header").append(make("p", { id: "state", role: "status" }));
    }
  }

  // For printing, all sections are opened and charts are redrawn in the width of the paper.
  function printing() {
    const folded = new Set();
    window.addEventListener("beforeprint", () => {
      document.querySelectorAll("#sections > details:not([open])").forEach((part) => folded.add(part));
      folded.forEach((part) => { part.open = true; });
      theme.print(true);
      shown.forEach((panel) => panel.print(660));
    });
    window.addEventListener("afterprint", () => {
      folded.forEach((part) => { part.open = false; });
      folded.clear();
      theme.print(false);
      shown.forEach((panel) => panel.print(undefined));
    });
  }

  async function start() {
    theme.start();
    tools();
    printing();
    tables.all(document);
    data.documents();
    show(await data.panels());
    // uPlot draws when the script has ended.
    queueMicrotask(() => { document.documentElement.dataset.drawn = String(Math.round(performance.now())); });
    if (document.body.dataset.events) live.listen(document.body.dataset.events);
  }

  // chart returns the chart of a panel by name, for tests.
  const chart = (name) => shown.get(name)?.chart;

  return { start, show, over, chart, names: () => [...shown.keys()], panel: (name) => shown.get(name)?.panel };
})();

window.plimsoll = { page, update: live.update, units, tables, numbers, theme };
page.start();
