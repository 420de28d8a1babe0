// Formats values as the report does (internal/units).

const units = (() => {
  const times = [["ns", 1], ["µs", 1e3], ["ms", 1e6], ["s", 1e9]];
  const sizes = [["B", 1], ["KiB", 2 ** 10], ["MiB", 2 ** 20], ["GiB", 2 ** 30], ["TiB", 2 ** 40]];

  const local = (v, least, most) =>
    v.toLocaleString("en-US", { minimumFractionDigits: least, maximumFractionDigits: most }).replace("-", "−");
  const grouped = (v, places) => local(v, places, places);

  // digits3 formats with three significant digits, whole numbers with all.
  function digits3(v) {
    if (Number.isInteger(v) || Math.abs(v) >= 99.5) return grouped(Math.round(v), 0);
    const rounded = Number(v.toPrecision(3));
    const places = 2 - Math.floor(Math.log10(Math.abs(rounded)));
    return grouped(rounded, Math.max(0, Math.min(places, 12)));
  }

  // plain formats with as many decimals as needed.
  const plain = (v) => local(Number(v.toPrecision(9)), 0, 12);

  function scaled(list, v, write) {
    const size = Math.abs(v);
    const unit = list.findLast(([, of]) => size >= of * 0.9995) ?? list[0];
    return `${write(v / unit[1])} ${unit[0]}`;
  }

  function clock(s) {
    if (Math.abs(s) < 120) return `${plain(Math.round(s * 1000) / 1000)} s`;
    const two = (v) => String(v).padStart(2, "0");
    const rounded = Math.round(s * 100) / 100;
    const whole = Math.floor(rounded);
    const part = rounded - whole >= 0.005 ? (rounded - whole).toFixed(2).slice(1) : "";
    const minutes = Math.floor(whole / 60) % 60;
    const hours = Math.floor(whole / 3600);
    return (hours > 0 ? `${hours}:${two(minutes)}` : `${minutes}`) + `:${two(whole % 60)}${part}`;
  }

  function percent(share, write) {
    const p = 100 * share;
    if (p !== 0 && Math.abs(p) < 0.001) return "< 0.001%";
    return `${write(p)}%`;
  }

  function written(v, axis, write) {
    switch (axis.unit) {
      case "ns": return v === 0 ? "0" : scaled(times, v, write);
      case "s": return clock(v);
      case "share": return percent(v, write);
      case "bytes": return v === 0 ? "0" : scaled(sizes, v, write);
      case "quantile": return v >= 1 ? "max" : `p${Number((v * 100).toPrecision(10))}`;
      default: return write(v);
    }
  }

  // value formats a value with three digits and its unit.
  function value(v, axis = {}) {
    if (v == null || !Number.isFinite(v)) return "–";
    const text = written(v, axis, digits3);
    return axis.word ? `${text} ${axis.word}` : text;
  }

  // tick formats a tick, without the word of the axis.
  const tick = (v, axis) => written(v, axis, plain);

  // stretch formats a range.
  const stretch = (from, to, axis) => `${value(from, axis)} – ${value(to, axis)}`;

  // name returns the unit for the head of a table of unscaled values.
  function name(axis) {
    const unit = axis.unit === "quantile" || axis.unit === "share" ? "of 1" : axis.unit || "";
    return [unit, axis.word].filter(Boolean).join(" ");
  }

  return { value, tick, stretch, name, digits3, plain };
})();
