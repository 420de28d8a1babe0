// The legend: what the colours and lines mean. Its entries turn series off and on.

const legends = (() => {
  // of are the entries of a panel.
  function of(panel) {
    const entries = (panel.series ?? []).map((series, index) => (
      { name: series.name, role: series.role, index, kind: kindOf(series), toggles: true }));
    const parts = field.partsOf(panel.spans ?? []);
    parts.forEach((part, index) => {
      const { role } = panel.spans.find((span) => (span.part || "") === part);
      if (part) entries.push({ name: part, role, index, kind: "block", toggles: parts.length > 1 });
    });
    const names = new Set();
    for (const band of panel.bands ?? []) {
      if (names.has(band.name)) continue;
      names.add(band.name);
      entries.push({ name: band.name, role: band.role || "neutral", index: 0, kind: "pale", toggles: true });
    }
    for (const rule of panel.rules ?? []) {
      const axis = rule.vertical ? panel.x : panel.y;
      const value = units.value(rule.at, axis);
      const name = rule.name.includes(value) ? rule.name : `${rule.name}: ${value}`;
      entries.push({ name, role: rule.role || "fitted", index: 0, kind: "dashes" });
    }
    if (panel.heat) entries.push({ kind: "heat", most: field.highest(panel.heat), of: panel.heat.of });
    if (panel.y?.name && !panel.spans?.length) entries.push({ kind: "note", name: `vertical: ${panel.y.name}` });
    for (const [way, axis] of [["vertical", panel.y], ["horizontal", panel.x]]) {
      if (axis?.scale === "log") entries.push({ kind: "note", name: `${way} axis logarithmic` });
    }
    return entries;
  }

  function kindOf(series) {
    if (series.role === "offered" || series.role === "fitted") return "dashes";
    return { steps: "area", area: "area", bars: "block", dots: "dot" }[series.style] ?? "line";
  }

  // draw makes the elements. A single series is not turned off: nothing would be left.
  function draw(entries, chart) {
    const series = entries.filter((entry) => entry.toggles).length;
    return entries.map((entry) => {
      if (entry.kind === "heat") return scale(entry);
      if (entry.kind === "note") return make("span", { class: "note" }, entry.name);
      const swatch = make("i", { class: entry.kind });
      swatch.style.color = colours.of(entry.role, entry.index);
      if (!entry.toggles || series < 2) return make("span", { class: "entry" }, swatch, entry.name);
      const made = button("", { class: "entry", "aria-pressed": String(!chart.hidden.has(entry.name)),
        title: "Turn off or on" }, () => {
        chart.toggle(entry.name);
        made.setAttribute("aria-pressed", String(!chart.hidden.has(entry.name)));
      });
      made.append(swatch, entry.name);
      return made;
    });
  }

  // scale is that of a heat map.
  function scale({ most, of: what }) {
    const ramp = make("i", { class: "ramp" });
    const stops = Array.from({ length: 8 }, (_, i) => colours.heat(i / 7));
    ramp.style.background = `linear-gradient(to right, ${stops.join(",")})`;
    return make("span", { class: "entry" }, "1", ramp, `${units.plain(most)} ${what} in a cell`);
  }

  return { of, make: draw };
})();
