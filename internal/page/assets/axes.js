// The axes of a chart, as uPlot takes them.

const axes = (() => {
  const size = 11;
  const common = {
    font: fontOf(size), stroke: () => colours.ink("soft"),
    grid: { stroke: () => colours.ink("grid"), width: 1 }, ticks: { stroke: () => colours.ink("frame"), width: 1, size: 5 },
  };

  // named returns the named ticks for which there is room.
  function named(axis, low, high, place, apart) {
    let last = -Infinity;
    return axis.ticks.filter((tick) => {
      const at = scales.to(axis, tick.at);
      if (!(at >= low && at <= high) || Math.abs(place(at) - last) < apart(tick)) return false;
      last = place(at);
      return true;
    }).map((tick) => tick.at);
  }

  const nameOf = (axis, v) => axis.ticks?.find((tick) => tick.at === v)?.name ?? units.tick(v, axis);

  function horizontal(chart) {
    let values = [];
    const axis = () => chart.panel.x;
    return {
      ...common, scale: "x", size: 28, gap: 4, label: chart.panel.x.name || undefined, labelSize: 18, labelGap: 0,
      labelFont: fontOf(size),
      splits: (u, _, low, high) => {
        const width = Math.max(u.width - 90, 50);
        const place = (at) => (at - low) / (high - low) * width;
        values = axis().ticks?.length
          ? named(axis(), low, high, place, (tick) => Math.min(tick.name.length, 18) * 6.5 + 8)
          : scales.ticks(axis(), low, high, width / 76);
        return values.map((v) => scales.to(axis(), v));
      },
      values: () => values.map((v) => shorten(nameOf(axis(), v), 18)),
    };
  }

  const shorten = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

  function vertical(chart) {
    let names = [];
    const canvas = document.createElement("canvas").getContext("2d");
    canvas.font = fontOf(size);
    const room = () => (chart.plot?.width ?? chart.host.clientWidth) * 0.26;
    return {
      ...common, scale: "y", gap: 5,
      grid: { ...common.grid, show: true },
      size: (u, texts) => {
        const widest = Math.max(0, ...(texts ?? []).map((text) => canvas.measureText(text).width));
        return Math.max(62, Math.ceil(widest) + 14);
      },
      splits: (u, _, low, high) => {
        const height = Math.max(u.height - 60, 40);
        if (chart.rows.length) return rows(height);
        const { y } = chart.panel;
        const place = (at) => (at - low) / (high - low) * height;
        const values = y.ticks?.length ? named(y, low, high, place, () => 14) : scales.ticks(y, low, high, height / 34);
        names = values.map((v) => field.fitText(canvas, nameOf(y, v), room()));
        return values.map((v) => scales.to(y, v));
      },
      values: () => names,
    };

    function rows(height) {
      const every = Math.ceil(13 * chart.rows.length / height);
      const shown = chart.rows.map((name, i) => ({ name, i })).filter(({ i }) => i % every === 0).reverse();
      names = shown.map(({ name }) => field.fitText(canvas, name, room()));
      return shown.map(({ i }) => chart.rows.length - i - 0.5);
    }
  }

  return { horizontal, vertical };
})();
