// The values at a position of a chart, as text.
//
// A position is {at, y}: at on the linear horizontal axis, y in pixels from the top of the plot, or null if only the
// time is known because the pointer is over another chart.

const reading = (() => {
  // series returns the step that contains the position, or the nearest point.
  function series(chart, place) {
    const hits = [];
    for (const one of chart.shown()) {
      const i = one.steps ? stepAt(chart, one, place.at) : nearest(chart, one, place);
      if (i >= 0) hits.push({ one, i });
    }
    const step = hits.find((hit) => hit.one.steps);
    const title = step ? units.stretch(step.one.x[step.i], step.one.to[step.i], chart.panel.x) : titleOf(chart, hits);
    const bars = hits.filter((hit) => hit.one.style === "bars");
    const some = bars.some((hit) => hit.one.y[hit.i]);
    const rows = hits.filter((hit) => hit.one.style !== "bars" || !some || hit.one.y[hit.i])
      .map((hit) => rowOf(chart, hit, title));
    if (bars.length > 1 && some) rows.push(sumOf(chart, bars));
    rows.push(...within(chart, place.at));
    return { title, rows, box: boxOf(chart, hits, place) };
  }

  function titleOf(chart, hits) {
    const values = new Set(hits.map((hit) => hit.one.x[hit.i]));
    return values.size === 1 ? place(chart, hits[0].one.x[hits[0].i]) : "";
  }

  // place formats a value of the horizontal axis, by its name if it has one.
  function place(chart, v) {
    const named = chart.panel.x.ticks?.find((tick) => tick.at === v);
    return named ? named.name : units.value(v, chart.panel.x);
  }

  function rowOf(chart, { one, i }, title) {
    let value = chart.valueY(one.y[i]);
    if (one.low[i] != null && one.high[i] != null) {
      value += ` (${units.stretch(one.low[i], one.high[i], chart.panel.y)})`;
    }
    if (!one.steps && place(chart, one.x[i]) !== title) {
      if (title === "" || chart.stepped) value += ` at ${place(chart, one.x[i])}`;
    }
    return { name: one.name, value, text: one.texts[i], colour: colours.of(one.role, one.index) };
  }

  function sumOf(chart, bars) {
    const sum = bars.reduce((n, hit) => n + (hit.one.y[hit.i] ?? 0), 0);
    return { name: "total", value: chart.valueY(sum) };
  }

  // within returns the bands at a position.
  function within(chart, at) {
    const names = new Set();
    for (const band of chart.panel.bands ?? []) {
      const [from, to] = [scales.to(chart.panel.x, band.from), scales.to(chart.panel.x, band.to)];
      const close = chart.even(1.5);
      if (at >= from - close && at <= to + close && !chart.hidden.has(band.name)) names.add(band.name);
    }
    return [...names].map((name) => ({ name, value: "", colour: bandColour(chart, name) }));
  }

  const bandColour = (chart, name) =>
    colours.of(chart.panel.bands.find((band) => band.name === name).role || "neutral");

  function stepAt(chart, one, at) {
    const { x } = chart.panel;
    for (let i = 0; i < one.x.length; i++) {
      if (at >= scales.to(x, one.x[i]) - 1e-9 && at < scales.to(x, one.to[i]) - 1e-9) return i;
    }
    return -1;
  }

  // nearest returns the point that is closest along the horizontal axis; of several, the one closest to the pointer. -1 if
  // the line does not reach the position.
  function nearest(chart, one, { at, y }) {
    let [best, least, off] = [-1, Infinity, Infinity];
    for (let i = 0; i < one.x.length; i++) {
      const away = Math.abs(chart.cssX(one.x[i]) - chart.cssEven(at));
      if (away > least + 0.5) continue;
      const apart = y == null || one.y[i] == null ? 0 : Math.abs(chart.cssY(one.y[i]) - y);
      if (away < least - 0.5 || apart < off) [best, off] = [i, apart];
      least = Math.min(least, away);
    }
    const alone = one.x.length === 1 || best === 0 || best === one.x.length - 1;
    return alone && least > 40 ? -1 : best;
  }

  // boxOf returns a ring around the nearest dot.
  function boxOf(chart, hits, { y }) {
    const dots = hits.filter((hit) => hit.one.style === "dots" && hit.one.y[hit.i] != null);
    if (!dots.length || y == null) return null;
    const away = (hit) => Math.abs(chart.cssY(hit.one.y[hit.i]) - y);
    const hit = dots.reduce((a, b) => (away(b) < away(a) ? b : a));
    const [left, top] = [chart.cssX(hit.one.x[hit.i]), chart.cssY(hit.one.y[hit.i])];
    return { left: left - 8, top: top - 8, width: 16, height: 16, round: true };
  }

  function spans(chart, { at, y }) {
    const height = chart.plotHeight() / Math.max(chart.rows.length, 1);
    const row = y == null ? null : chart.rows[Math.floor(y / height)];
    const close = chart.even(4);
    const { x } = chart.panel;
    const hits = (chart.panel.spans ?? []).filter((span) => span.row === row && !chart.hidden.has(span.part || "") &&
      at >= scales.to(x, span.from) - close && at <= scales.to(x, span.to) + close);
    const inner = hits.filter((span) => at >= scales.to(x, span.from) && at <= scales.to(x, span.to));
    const parts = field.partsOf(chart.panel.spans ?? []);
    const rows = (inner.length ? inner : hits).map((span) => ({
      name: span.part || "", value: `${units.stretch(span.from, span.to, x)}, ${units.value(span.to - span.from, x)}`,
      text: span.text, colour: colours.of(span.role, parts.indexOf(span.part || "")),
    }));
    const box = row == null ? null
      : { left: 0, top: chart.rows.indexOf(row) * height, width: chart.plotWidth(), height };
    return { title: row ?? "", rows, box };
  }

  function heat(chart, { at, y }) {
    const { heat: map, x, y: axisY } = chart.panel;
    const i = cell(map.x, scales.from(x, at));
    if (i < 0) return { title: "", rows: [], box: null };
    const title = units.stretch(map.x[i], map.x[i + 1], x);
    const counts = map.counts[i] ?? [];
    if (y == null) {
      const all = counts.reduce((sum, n) => sum + (n ?? 0), 0);
      return { title, rows: [{ name: map.of, value: units.plain(all) }], box: null };
    }
    const j = cell(map.y, chart.valueAt(y));
    if (j < 0) return { title, rows: [], box: null };
    const [left, top] = [chart.cssX(map.x[i]), chart.cssY(map.y[j + 1])];
    const box = { left, top, width: chart.cssX(map.x[i + 1]) - left, height: chart.cssY(map.y[j]) - top };
    const row = { name: units.stretch(map.y[j], map.y[j + 1], axisY), value: `${units.plain(counts[j] ?? 0)} ${map.of}` };
    return { title, rows: [row, ...within(chart, at)], box };
  }

  function cell(bounds, v) {
    for (let i = 0; i + 1 < bounds.length; i++) if (v >= bounds[i] && v < bounds[i + 1]) return i;
    return bounds.length > 1 && v === bounds.at(-1) ? bounds.length - 2 : -1;
  }

  // at returns the values at a position.
  function at(chart, spot) {
    if (chart.panel.heat) return heat(chart, spot);
    if (chart.panel.spans?.length) return spans(chart, spot);
    return series(chart, spot);
  }

  return { at, cell };
})();
