// Keyboard control of a chart: arrows move between values, + and - zoom, Escape resets.

const keys = (() => {
  // stops returns the positions of values, from left to right.
  function stops(chart) {
    const { panel } = chart;
    if (panel.heat) {
      const most = (i) => panel.heat.counts[i]?.reduce((best, n, j, all) => (n > (all[best] ?? 0) ? j : best), 0) ?? 0;
      return panel.heat.x.slice(0, -1).map((_, i) => heatStop(chart, i, most(i)));
    }
    if (panel.spans?.length) return spanStops(chart);
    const found = new Map();
    for (const one of chart.shown()) {
      one.x.forEach((x, i) => {
        const even = scales.to(panel.x, x);
        const at = one.steps ? (even + scales.to(panel.x, one.to[i])) / 2 : even;
        const y = one.style === "dots" ? one.y[i] : null;
        if (Number.isFinite(at) && one.y[i] != null) found.set(`${at} ${y}`, { at, y: y == null ? null : chart.cssY(y) });
      });
    }
    return [...found.values()].sort((a, b) => a.at - b.at || (b.y ?? 0) - (a.y ?? 0));
  }

  function heatStop(chart, i, j) {
    const { heat, x, y } = chart.panel;
    const middle = (axis, a, b) => (scales.to(axis, a) + scales.to(axis, b)) / 2;
    return { at: middle(x, heat.x[i], heat.x[i + 1]), i, j, y: chart.cssEvenY(middle(y, heat.y[j], heat.y[j + 1])) };
  }

  function spanStops(chart) {
    const height = chart.plotHeight() / Math.max(chart.rows.length, 1);
    const { x } = chart.panel;
    return chart.panel.spans.filter((span) => !chart.hidden.has(span.part || "")).map((span) => {
      const row = chart.rows.indexOf(span.row);
      return { at: (scales.to(x, span.from) + scales.to(x, span.to)) / 2, row, y: (row + 0.5) * height };
    }).sort((a, b) => a.row - b.row || a.at - b.at);
  }

  // move moves the cursor by a number of stops within the visible range.
  function move(chart, by) {
    const [low, high] = chart.view();
    const all = stops(chart).filter((stop) => stop.at >= low && stop.at <= high);
    if (!all.length) return;
    let at = chart.stop ? all.findIndex((stop) => stop.at === chart.stop.at && same(stop, chart.stop)) : -1;
    if (at < 0) {
      const here = chart.stop?.at ?? (by > 0 ? -Infinity : Infinity);
      const next = all.findIndex((stop) => stop.at > here);
      at = by > 0 ? (next < 0 ? all.length : next) - 1 : next < 0 ? all.length : next;
    }
    chart.goTo(all[Math.min(Math.max(at + by, 0), all.length - 1)]);
  }

  const same = (a, b) => a.row === b.row && (a.i !== undefined || Math.abs((a.y ?? 0) - (b.y ?? 0)) < 0.5);

  // across moves to the next row of spans or cell of a heat map. Other charts have no rows.
  function across(chart, by) {
    const { stop, panel } = chart;
    if (panel.heat) {
      if (!stop) return move(chart, 1), true;
      chart.goTo(heatStop(chart, stop.i, Math.min(Math.max(stop.j - by, 0), panel.heat.y.length - 2)));
      return true;
    }
    if (!panel.spans?.length) return false;
    if (!stop) return move(chart, 1), true;
    const all = stops(chart);
    const target = Math.min(Math.max(stop.row + by, 0), chart.rows.length - 1);
    const next = all.find((other) => other.row === target);
    if (next) chart.goTo(next);
    return true;
  }

  // press handles a key and reports whether it has a meaning.
  function press(chart, event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    const step = event.shiftKey ? 10 : 1;
    switch (event.key) {
      case "ArrowLeft": return move(chart, -step), true;
      case "ArrowRight": return move(chart, step), true;
      case "ArrowUp": return across(chart, -1);
      case "ArrowDown": return across(chart, 1);
      case "Home": return move(chart, -Infinity), true;
      case "End": return move(chart, Infinity), true;
      case "+": case "=": return chart.zoomBy(0.5), true;
      case "-": case "_": return chart.zoomBy(2), true;
      case "0": return chart.reset(), true;
      case "Escape": {
        const did = chart.zoomed() || chart.stop != null;
        if (chart.zoomed()) chart.reset();
        chart.leave();
        return did;
      }
      default: return false;
    }
  }

  return { press };
})();
