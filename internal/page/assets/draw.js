// Draws the series of graph.Panel. frame maps values to the canvas: x(v), y(v), and the edges of the plot.

const draw = (() => {
  const fillOf = { area: 0.22, steps: 0.22, bars: 0.88 };

  // runs calls line with the indices of stretches without gaps.
  function runs(one, call) {
    let begun = -1;
    for (let i = 0; i <= one.x.length; i++) {
      const known = i < one.x.length && one.y[i] != null && one.x[i] != null;
      if (known && begun < 0) begun = i;
      if (!known && begun >= 0) {
        call(begun, i);
        begun = -1;
      }
    }
  }

  function line(ctx, frame, one, colour) {
    const dots = one.x.length <= 40;
    const path = new Path2D();
    const area = new Path2D();
    runs(one, (from, to) => {
      path.moveTo(frame.x(one.x[from]), frame.y(one.y[from]));
      area.moveTo(frame.x(one.x[from]), frame.zero);
      for (let i = from; i < to; i++) {
        path.lineTo(frame.x(one.x[i]), frame.y(one.y[i]));
        area.lineTo(frame.x(one.x[i]), frame.y(one.y[i]));
        if (dots || to - from === 1) dot(ctx, frame, one, i, colour, 2.2);
      }
      area.lineTo(frame.x(one.x[to - 1]), frame.zero);
    });
    if (one.style === "area") shade(ctx, area, colour, fillOf.area);
    ctx.strokeStyle = colour;
    ctx.lineWidth = (one.x.length > 1000 ? 1 : 1.75) * frame.ratio;
    ctx.setLineDash(dashes(one.role, frame.ratio));
    ctx.stroke(path);
    ctx.setLineDash([]);
  }

  // Dashes distinguish offered and computed values from measured ones.
  function dashes(role, ratio) {
    if (role === "offered") return [6 * ratio, 4 * ratio];
    if (role === "fitted") return [2 * ratio, 3 * ratio];
    return [];
  }

  function shade(ctx, path, colour, alpha) {
    ctx.globalAlpha = alpha;
    ctx.fillStyle = colour;
    ctx.fill(path);
    ctx.globalAlpha = 1;
  }

  function steps(ctx, frame, one, colour) {
    const fill = new Path2D();
    const edge = new Path2D();
    let end = null;
    for (let i = 0; i < one.x.length; i++) {
      if (one.y[i] == null) {
        end = null;
        continue;
      }
      const [from, to, y] = [frame.x(one.x[i]), frame.x(one.to[i]), frame.y(one.y[i])];
      fill.rect(from, Math.min(y, frame.zero), to - from, Math.abs(frame.zero - y));
      if (end === null || Math.abs(end - from) > 0.5) edge.moveTo(from, one.style === "edge" ? y : frame.zero);
      edge.lineTo(from, y);
      edge.lineTo(to, y);
      end = to;
    }
    if (one.style === "steps") shade(ctx, fill, colour, fillOf.steps);
    ctx.strokeStyle = colour;
    ctx.lineWidth = 1.5 * frame.ratio;
    ctx.setLineDash(dashes(one.role, frame.ratio));
    ctx.stroke(edge);
    ctx.setLineDash([]);
  }

  // bars leaves a gap between bars if there is room.
  function bars(ctx, frame, one, colour) {
    const fill = new Path2D();
    for (let i = 0; i < one.x.length; i++) {
      if (one.y[i] == null || one.y[i] === 0) continue;
      const [from, to] = [frame.x(one.x[i]), frame.x(one.to[i])];
      const [low, high] = [frame.y(one.base[i]), frame.y(one.base[i] + one.y[i])];
      const gap = to - from > 6 * frame.ratio ? frame.ratio : 0;
      fill.rect(from + gap / 2, high, Math.max(to - from - gap, frame.ratio), Math.max(low - high, frame.ratio));
    }
    shade(ctx, fill, colour, fillOf.bars);
  }

  function dot(ctx, frame, one, i, colour, radius) {
    ctx.fillStyle = colour;
    ctx.beginPath();
    ctx.arc(frame.x(one.x[i]), frame.y(one.y[i]), radius * frame.ratio, 0, 7);
    ctx.fill();
  }

  function dots(ctx, frame, one, colour) {
    const radius = one.x.length > 500 ? 2.5 : 4;
    ctx.globalAlpha = one.x.length > 500 ? 0.6 : 0.9;
    for (let i = 0; i < one.x.length; i++) if (one.y[i] != null) dot(ctx, frame, one, i, colour, radius);
    ctx.globalAlpha = 1;
  }

  // intervals draws a band around a line and whiskers around anything else.
  function intervals(ctx, frame, one, colour) {
    if (!one.low.length || !one.high.length) return;
    if (one.style === "line" || one.style === "area") band(ctx, frame, one, colour);
    else whiskers(ctx, frame, one, colour);
  }

  function band(ctx, frame, one, colour) {
    const path = new Path2D();
    const bounds = { ...one, y: one.low.map((v, i) => (v == null ? null : one.high[i])) };
    runs(bounds, (from, to) => {
      if (to - from === 1) {
        whisker(path, frame, one.x[from], one.low[from], one.high[from]);
        return;
      }
      for (let i = from; i < to; i++) path[i === from ? "moveTo" : "lineTo"](frame.x(one.x[i]), frame.y(one.high[i]));
      for (let i = to - 1; i >= from; i--) path.lineTo(frame.x(one.x[i]), frame.y(one.low[i]));
      path.closePath();
    });
    shade(ctx, path, colour, 0.2);
  }

  function whiskers(ctx, frame, one, colour) {
    const path = new Path2D();
    for (let i = 0; i < one.x.length; i++) {
      if (one.low[i] == null || one.high[i] == null) continue;
      const [from, to] = one.steps ? [scales.to(frame.axisX, one.x[i]), scales.to(frame.axisX, one.to[i])] : [];
      const at = one.steps ? scales.from(frame.axisX, (from + to) / 2) : one.x[i];
      whisker(path, frame, at, one.low[i], one.high[i]);
    }
    ctx.strokeStyle = colour;
    ctx.lineWidth = 1.25 * frame.ratio;
    ctx.stroke(path);
  }

  function whisker(path, frame, x, low, high) {
    const [at, bottom, top, half] = [frame.x(x), frame.y(low), frame.y(high), 3.5 * frame.ratio];
    path.moveTo(at - half, bottom);
    path.lineTo(at + half, bottom);
    path.moveTo(at, bottom);
    path.lineTo(at, top);
    path.moveTo(at - half, top);
    path.lineTo(at + half, top);
  }

  const styles = { line, area: line, steps, edge: steps, bars, dots };

  // series draws a series and returns the number of known points.
  function series(ctx, frame, one) {
    const colour = colours.of(one.role, one.index);
    intervals(ctx, frame, one, colour);
    (styles[one.style] ?? line)(ctx, frame, one, colour);
    return one.y.reduce((n, v) => n + (v == null ? 0 : 1), 0);
  }

  return { series };
})();
