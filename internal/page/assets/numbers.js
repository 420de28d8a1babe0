// The data of a chart as a table and as CSV.

const numbers = (() => {
  const most = 100; // rows shown at first

  const head = (name, axis = {}) => {
    const unit = units.name(axis);
    return { text: unit ? `${name} [${unit}]` : name, name, axis };
  };

  // of returns the data of a panel: heads and rows of values.
  function of(panel) {
    if (panel.heat) return ofHeat(panel);
    if (panel.spans?.length) return ofSpans(panel);
    return ofSeries(panel);
  }

  function ofHeat({ heat, x, y }) {
    const heads = [head(`${x.name || "x"} from`, x), head("to", x), head(`${y.name || "y"} from`, y), head("to", y),
      head(heat.of, {})];
    const rows = [];
    heat.counts.forEach((counts, i) => counts?.forEach((n, j) => {
      if (n) rows.push([heat.x[i], heat.x[i + 1], heat.y[j], heat.y[j + 1], n]);
    }));
    return { heads, rows };
  }

  function ofSpans({ spans, x }) {
    const heads = [head("row"), head("part"), head("from", x), head("to", x), head("length", x), head("")];
    return { heads, rows: spans.map((s) => [s.row, s.part ?? "", s.from, s.to, s.to - s.from, s.text ?? ""]) };
  }

  // ofSeries returns a row for each x and a column for each series; several rows if a series has several points there.
  function ofSeries({ series = [], x, y }) {
    const all = series.map(shapes.points);
    const stepped = all.some((one) => one.steps);
    const heads = [head(x.name || "x", x), ...(stepped ? [head("to", x)] : [])];
    const byPlace = new Map();
    const columns = all.map((one) => columnsOf(one, heads, y));
    all.forEach((one, k) => {
      const seen = new Map();
      one.x.forEach((at, i) => {
        const times = seen.get(at) ?? 0;
        seen.set(at, times + 1);
        const key = `${at} ${times}`;
        if (!byPlace.has(key)) byPlace.set(key, { at, times, cells: [] });
        const row = byPlace.get(key);
        row.cells[0] = at;
        if (stepped && one.steps) row.cells[1] = one.to[i];
        for (const { column, value } of columns[k]) row.cells[column] = value(i);
      });
    });
    const sorted = [...byPlace.values()].sort((a, b) => a.at - b.at || a.times - b.times);
    return { heads, rows: sorted.map(({ cells }) => Array.from(heads, (_, i) => cells[i] ?? null)) };
  }

  function columnsOf(one, heads, y) {
    const columns = [];
    const add = (name, axis, values) => {
      columns.push({ column: heads.length, value: (i) => values[i] ?? null });
      heads.push(head(name, axis));
    };
    add(one.name, y, one.y);
    if (one.low.length) add(`${one.name}, low`, y, one.low);
    if (one.high.length) add(`${one.name}, high`, y, one.high);
    if (one.texts.length) add(`${one.name}, note`, undefined, one.texts);
    return columns;
  }

  // csv returns the values unscaled, in the units of the heads.
  function csv({ heads, rows }) {
    const cell = (v) => {
      if (v == null) return "";
      if (typeof v === "number") return String(v);
      return /[",\r\n]/.test(v) ? `"${v.replaceAll('"', '""')}"` : v;
    };
    return [heads.map((h) => cell(h.text)), ...rows.map((row) => row.map(cell))]
      .map((row) => row.join(",") + "\n").join("");
  }

  function cellOf(v, { axis }, i) {
    const text = typeof v === "number" ? units.value(v, axis ?? {}) : v ?? "";
    return make(i === 0 ? "th" : "td", { scope: i === 0 ? "row" : null, class: typeof v === "number" ? "number" : null },
      text);
  }

  function table(heads, rows, title) {
    const top = make("tr", {}, ...heads.map((h) => make("th", { scope: "col", class: "number" }, h.name)));
    const body = make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map((v, i) => cellOf(v, heads[i], i)))));
    const made = make("table", { class: "data" }, make("thead", {}, top), body);
    tables.sortable(made);
    return make("div", { class: "scroll tall", tabindex: 0, role: "region", "aria-label": `Data: ${title}` }, made);
  }

  // fill builds the table when it is opened, because it can be large.
  function fill(box, panel, all = false) {
    const { heads, rows } = of(panel);
    const shown = all ? rows : rows.slice(0, most);
    const save = button("Save as CSV", {}, () => saveAs(`${panel.name}.csv`, csv({ heads, rows }), "text/csv"));
    const bar = make("p", { class: "tools" }, save);
    if (shown.length < rows.length) {
      const text = `Show all ${units.plain(rows.length)} rows`;
      bar.append(button(text, {}, () => {
        fill(box, panel, true);
        box.querySelector("button").focus();
      }));
    }
    box.replaceChildren(bar, table(heads, shown, panel.title));
  }

  // details returns the part of a panel that opens the table.
  function details(of) {
    const box = make("div", {});
    const made = make("details", { class: "numbers", id: `numbers-${of().name}` },
      make("summary", {}, "Show the data as a table"), box);
    made.addEventListener("toggle", () => (made.open ? fill(box, of()) : box.replaceChildren()));
    return made;
  }

  return { details, of, csv };
})();
