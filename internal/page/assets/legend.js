// The legend. Its entries show and hide series.

const legends = (() => {
  // of returns the entries of a panel.
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
    entries.push(...rulesOf(panel));
    if (panel.heat) entries.push({ kind: "heat", most: field.highest(panel.heat), of: panel.heat.of });
    const notes = [["Vertical", panel.y, !panel.spans?.length && panel.y?.name], ["Horizontal", panel.x, ""]];
    for (const [way, axis, name] of notes) {
      const parts = [name, axis?.scale === "log" && "log scale"].filter(Boolean);
      if (parts.length) entries.push({ kind: "note", name: `${way} axis: ${parts.join(", ")}` });
    }
    return entries;
  }

  // rulesOf returns an entry for each name of a rule, with its values.
  function rulesOf(panel) {
    const byName = new Map();
    for (const rule of panel.rules ?? []) {
      const axis = rule.vertical ? panel.x : panel.y;
      const named = axis.ticks?.find((tick) => tick.at === rule.at)?.name;
      const one = byName.get(rule.name) ?? { rule, values: [], told: true };
      const bare = (text) => text.replaceAll(" ", "");
      const told = [named ?? units.value(rule.at, axis), units.tick(rule.at, axis)];
      one.told &&= told.some((text) => bare(rule.name).includes(bare(text)));
      one.values.push(told[0]);
      byName.set(rule.name, one);
    }
    return [...byName.values()].map(({ rule, values, told }) => {
      const name = told ? rule.name : `${rule.name}: ${values.join(" and ")}`;
      return { name, role: rule.role || "fitted", index: 0, kind: "dashes" };
    });
  }

  function kindOf(series) {
    if (series.role === "offered" || series.role === "fitted") return "dashes";
    return { steps: "area", area: "area", bars: "block", dots: "dot" }[series.style] ?? "line";
  }

  // draw returns the elements. A single series cannot be hidden.
  function draw(entries, chart) {
    const series = entries.filter((entry) => entry.toggles).length;
    return entries.map((entry) => {
      if (entry.kind === "heat") return scale(entry);
      if (entry.kind === "note") return make("span", { class: "note" }, entry.name);
      const swatch = make("i", { class: entry.kind });
      swatch.style.color = colours.of(entry.role, entry.index);
      if (!entry.toggles || series < 2) return make("span", { class: "entry" }, swatch, entry.name);
      const made = button("", { class: "entry", "aria-pressed": String(!chart.hidden.has(entry.name)),
        title: "Show or hide" }, () => {
        chart.toggle(entry.name);
        made.setAttribute("aria-pressed", String(!chart.hidden.has(entry.name)));
      });
      made.append(swatch, entry.name);
      return made;
    });
  }

  // scale returns the colour scale of a heat map.
  function scale({ most, of: what }) {
    const ramp = make("i", { class: "ramp" });
    const stops = Array.from({ length: 8 }, (_, i) => colours.heat(i / 7));
    ramp.style.background = `linear-gradient(to right, ${stops.join(",")})`;
    return make("span", { class: "entry" }, "1", ramp, `${units.plain(most)} ${what} per cell`);
  }

  return { of, make: draw };
})();
