// Prepares panels for drawing: ends of steps, bases of stacked bars, rows of spans.

const shapes = (() => {
  const isStep = (style) => style === "steps" || style === "edge" || style === "bars";

  // ends returns the ends of steps: given, or the start of the next one. The last step is as long as the one before.
  function ends(series) {
    const { x, to } = series;
    if (to?.length) return to;
    return x.map((at, i) => x[i + 1] ?? at + (i > 0 ? at - x[i - 1] : 1));
  }

  // points returns the points of a series. Unknown values are gaps.
  function points(series, index) {
    const steps = isStep(series.style);
    const to = steps ? ends(series) : null;
    return {
      series, index, steps, name: series.name, style: series.style || "line", role: series.role,
      x: series.x ?? [], y: series.y ?? [], to, low: series.low ?? [], high: series.high ?? [],
      texts: series.texts ?? [], base: null,
    };
  }

  // stack sets the base of each bar: the visible bars of earlier series with the same start.
  function stack(all) {
    const sums = new Map();
    for (const one of all) {
      if (one.style !== "bars") continue;
      one.base = one.x.map((at) => sums.get(at) ?? 0);
      one.x.forEach((at, i) => sums.set(at, one.base[i] + (one.y[i] ?? 0)));
    }
  }

  // rows returns the names of the rows of spans, from top to bottom.
  const rows = (spans) => [...new Set(spans.map((span) => span.row))];

  // heights returns the values that the vertical axis must contain, within a range of the horizontal one.
  function heights(all, axis, low, high) {
    const values = [];
    for (const one of all) {
      for (let i = 0; i < one.x.length; i++) {
        const from = scales.to(axis, one.x[i]);
        const to = one.steps ? scales.to(axis, one.to[i]) : from;
        if (to < low || from > high || one.y[i] == null) continue;
        values.push(one.y[i] + (one.base?.[i] ?? 0));
        if (one.low[i] != null) values.push(one.low[i]);
        if (one.high[i] != null) values.push(one.high[i]);
      }
    }
    return values;
  }

  // widths returns the values that the horizontal axis must contain.
  function widths(panel, all) {
    const values = [];
    for (const one of all) values.push(...one.x, ...(one.to ?? []));
    for (const span of panel.spans ?? []) values.push(span.from, span.to);
    if (panel.heat) values.push(...panel.heat.x);
    return values;
  }

  return { points, stack, rows, heights, widths };
})();
