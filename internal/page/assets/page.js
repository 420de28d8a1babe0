// The page: what it starts with.

const page = (() => {
  const shown = new Map(); // of panels, by name
  const box = document.getElementById("panels");

  // show shows these panels, in their order. One that was there keeps its chart.
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

  // widths tells which panels take a whole row: those with rows of their own, and one that nothing would stand beside.
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

  // tools are the parts of the page that a script makes: without one they would do nothing.
  function tools() {
    const nav = document.getElementById("nav");
    const name = () => (theme.dark() ? "Light" : "Dark");
    const change = button(name(), { class: "theme" }, () => theme.choose(theme.dark() ? "light" : "dark"));
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

  // On paper all sections are open, and charts are as wide as it is and drawn for it.
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
    // uPlot draws when the script has ended, and the browser shows it with its next picture.
    queueMicrotask(() => { document.documentElement.dataset.drawn = String(Math.round(performance.now())); });
    if (document.body.dataset.events) live.listen(document.body.dataset.events);
  }

  // chart is one by the name of its panel, for tests and for who wants to look into it.
  const chart = (name) => shown.get(name)?.chart;

  return { start, show, over, chart, names: () => [...shown.keys()], panel: (name) => shown.get(name)?.panel };
})();

window.plimsoll = { page, update: live.update, units, tables, numbers, theme };
page.start();
