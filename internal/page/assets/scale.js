// Scales. uPlot has linear axes; these functions convert values to and from them.

const scales = (() => {
  const ways = {
    "": { to: (v) => v, from: (v) => v },
    log: { to: (v) => (v > 0 ? Math.log10(v) : -Infinity), from: (v) => 10 ** v },
    // Each nine takes the same space. The maximum is at the end.
    tail: { to: (q) => (q < 1 ? -Math.log10(1 - q) : Infinity), from: (v) => 1 - 10 ** -v },
  };
  const way = (axis) => ways[axis.scale || ""] ?? ways[""];
  const to = (axis, v) => (v == null ? NaN : way(axis).to(v));
  const from = (axis, v) => way(axis).from(v);

  const timeSteps = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600,
    900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];

  // niceStep returns a round step of which at most so many fit.
  function niceStep(span, most, axis) {
    const least = span / most;
    if (axis.unit === "s" && least > 0.001) return timeSteps.find((s) => s >= least) ?? Math.ceil(least / 86400) * 86400;
    if (axis.unit === "bytes" && least >= 1) return 2 ** Math.ceil(Math.log2(least) - 1e-9); // round in KiB and in MiB
    const power = 10 ** Math.floor(Math.log10(least));
    return power * ([1, 2, 5].find((f) => f * power >= least * (1 - 1e-9)) ?? 10);
  }

  function linearTicks(low, high, most, axis) {
    if (!(high > low)) return [low];
    const step = niceStep(high - low, Math.max(most, 1), axis);
    const ticks = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) ticks.push(i * step);
    return ticks;
  }

  // logTicks returns powers of ten, and values between them if they are few. Ranges below a decade have linear ticks.
  function logTicks(low, high, most, axis) {
    if (high / low < 5) return linearTicks(low, high, most, axis);
    const base = axis.unit === "bytes" ? 2 : 10;
    const decades = Math.log(high / low) / Math.log(base);
    const stride = Math.max(1, Math.ceil(decades / most));
    const factors = base === 10 && decades * 3 <= most ? [1, 2, 5] : base === 10 && decades * 2 <= most ? [1, 3] : [1];
    const ticks = [];
    for (let p = Math.floor(Math.log(low) / Math.log(base)); base ** p <= high * (1 + 1e-9); p++) {
      if (p % stride !== 0) continue;
      for (const f of factors) {
        const v = f * base ** p;
        if (v >= low * (1 - 1e-9) && v <= high * (1 + 1e-9)) ticks.push(v);
      }
    }
    return ticks.length > 1 ? ticks : linearTicks(low, high, most, axis);
  }

  function tailTicks(low, high, most) {
    const nines = [0, 0.5, 0.75];
    for (let n = 1; n <= 15; n++) nines.push(1 - 10 ** -n);
    let ticks = nines.filter((q) => to({ scale: "tail" }, q) >= low - 1e-9 && to({ scale: "tail" }, q) <= high + 1e-9);
    if (ticks.length > most) ticks = ticks.filter((q) => q !== 0.75);
    if (ticks.length > most) ticks = ticks.filter((q, i) => i % Math.ceil(ticks.length / most) === 0);
    return ticks.length > 1 ? ticks : linearTicks(1 - 10 ** -low, 1 - 10 ** -high, most, {});
  }

  // ticks returns the ticks from low to high, which are on the linear axis.
  function ticks(axis, low, high, most) {
    if (axis.scale === "tail") return tailTicks(low, high, most);
    if (axis.scale === "log") return logTicks(10 ** low, 10 ** high, most, axis);
    return linearTicks(low, high, most, axis);
  }

  // fit returns the range of the linear axis that contains the values.
  function fit(axis, values, round) {
    const ends = [];
    if (axis.from || axis.to) ends.push(to(axis, axis.from ?? 0), to(axis, axis.to ?? 0));
    let low = Infinity;
    let high = -Infinity;
    for (const v of values) {
      const at = to(axis, v);
      if (!Number.isFinite(at)) continue;
      low = Math.min(low, at);
      high = Math.max(high, at);
    }
    if (low > high) [low, high] = axis.scale === "log" ? [0, 1] : [0, 1];
    if (!axis.scale && low >= 0) low = 0;
    if (ends.length === 2 && ends[1] > ends[0]) {
      if (Number.isFinite(ends[0])) low = ends[0];
      if (Number.isFinite(ends[1])) high = ends[1];
    } else if (round) [low, high] = rounded(axis, low, high);
    if (!(high > low)) [low, high] = axis.scale ? [low - 0.5, low + 0.5] : [Math.min(low, 0), Math.max(high, low + 1)];
    return [low, high];
  }

  // rounded extends a range to round values, with room above the highest value.
  function rounded(axis, low, high) {
    if (axis.scale === "log") {
      const steps = axis.unit === "bytes" ? [1, 2, 4, 8] : [1, 2, 5];
      const down = (v) => Math.max(...steps.map((f) => f * 10 ** Math.floor(v)).filter((f) => f <= 10 ** v * 1.0001));
      const up = (v) => Math.min(...[...steps, 10].map((f) => f * 10 ** Math.floor(v)).filter((f) => f >= 10 ** v * 0.9999));
      return [Math.log10(down(low - 0.02)), Math.log10(up(high + 0.02))];
    }
    if (axis.scale || !(high > low)) return [low, high];
    const step = niceStep(high - low, 5, axis);
    return [Math.floor(low / step + 1e-9) * step, Math.ceil(high * (high > 0 ? 1.04 : 1) / step - 1e-9) * step];
  }

  return { to, from, ticks, fit };
})();
