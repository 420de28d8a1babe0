// Draws bands, rules, rows of spans, and heat maps.

const field = (() => {
  // bands marks ranges over the whole height. Short ones are at least 2 pixels wide.
  function bands(ctx, frame, all, hidden) {
    for (const band of all) {
      if (hidden.has(band.name)) continue;
      const [from, to] = [frame.x(band.from), frame.x(band.to)];
      ctx.globalAlpha = band.role === "fitted" ? 0.1 : 0.2; // an interval can fill the chart
      ctx.fillStyle = colours.of(band.role || "neutral");
      ctx.fillRect(from, frame.top, Math.max(to - from, 2 * frame.ratio), frame.height);
      ctx.globalAlpha = 1;
    }
  }

  // points are those of the series, {x, y, r} on the canvas: labels avoid them.
  function rules(ctx, frame, all, named, points) {
    const taken = []; // boxes of labels
    const lines = all.map((rule) => (rule.vertical ? { x: frame.x(rule.at) } : { y: frame.y(rule.at) }));
    const marks = [...points, ...lines];
    for (const rule of all) {
      const at = rule.vertical ? frame.x(rule.at) : frame.y(rule.at);
      const [low, high] = rule.vertical ? [frame.left, frame.left + frame.width] : [frame.top, frame.top + frame.height];
      if (!(at >= low - 1 && at <= high + 1)) continue;
      ctx.strokeStyle = colours.of(rule.role || "fitted");
      ctx.lineWidth = 1.25 * frame.ratio;
      ctx.setLineDash([5 * frame.ratio, 3 * frame.ratio]);
      ctx.beginPath();
      ctx.moveTo(rule.vertical ? at : frame.left, rule.vertical ? frame.top : at);
      ctx.lineTo(rule.vertical ? at : frame.left + frame.width, rule.vertical ? frame.top + frame.height : at);
      ctx.stroke();
      ctx.setLineDash([]);
      if (named) label(ctx, frame, rule, at, taken, marks);
    }
  }

  // label writes the name of a rule beside it, where it covers least. It is left out if it would cover other labels or
  // many points: the legend has all names.
  function label(ctx, frame, rule, at, taken, marks) {
    ctx.font = frame.font;
    const text = fitText(ctx, rule.name, frame.width * 0.6);
    const [width, height] = [ctx.measureText(text).width, 13 * frame.ratio];
    const clear = (box) => box.x >= frame.left && box.x + width <= frame.left + frame.width &&
      box.y - height >= frame.top && box.y <= frame.top + frame.height &&
      !taken.some((other) => box.x < other.x + other.width + height && other.x < box.x + width + height &&
        Math.abs(box.y - other.y) < height);
    const over = (box) => marks.reduce((n, { x = box.x, y = box.y - height / 2, r = 0 }) => n +
      (x + r >= box.x && x - r <= box.x + width && y + r > box.y - height + 2 * frame.ratio && y - r < box.y ? 1 : 0), 0);
    const free = places(frame, rule, at, width).filter(clear).map((box) => ({ ...box, cost: over(box) }));
    const place = free.reduce((best, box) => (!best || box.cost < best.cost ? box : best), null);
    const most = 2; // points under a label
    if (!place || place.cost > most) return;
    taken.push({ ...place, width });
    const { x, y } = place;
    ctx.lineWidth = 3 * frame.ratio;
    ctx.lineJoin = "round";
    ctx.strokeStyle = colours.ink("paper");
    ctx.textAlign = "left";
    ctx.textBaseline = "alphabetic";
    ctx.strokeText(text, x, y);
    ctx.fillStyle = colours.ink("ink");
    ctx.fillText(text, x, y);
  }

  // places returns the candidate places of a label, in order of preference.
  function places(frame, rule, at, width) {
    const [pad, line] = [4 * frame.ratio, 14 * frame.ratio];
    if (rule.vertical) {
      const bottom = frame.top + frame.height - pad;
      const rows = [1, 2, 3, 4].map((row) => frame.top + row * line).concat([0, 1].map((row) => bottom - row * line));
      return rows.flatMap((y) => [at + pad, at - width - pad].map((x) => ({ x, y })));
    }
    const ends = [frame.left + frame.width - width - pad, frame.left + pad];
    return ends.flatMap((x) => [at - pad, at + line - pad / 2].map((y) => ({ x, y })));
  }

  // fitText shortens text to a width.
  function fitText(ctx, text, room) {
    if (ctx.measureText(text).width <= room) return text;
    let length = text.length;
    while (length > 1 && ctx.measureText(`${text.slice(0, length)}…`).width > room) length--;
    return `${text.slice(0, length)}…`;
  }

  // spans draws ranges in rows.
  function spans(ctx, frame, all, rows, hidden) {
    const pitch = frame.height / Math.max(rows.length, 1);
    const height = Math.max(Math.min(pitch * 0.7, 22 * frame.ratio), frame.ratio);
    const at = new Map(rows.map((row, i) => [row, frame.top + (i + 0.5) * pitch]));
    const parts = partsOf(all);
    for (const span of all) {
      if (hidden.has(span.part || "")) continue;
      const [from, to] = [frame.x(span.from), frame.x(span.to)];
      ctx.fillStyle = colours.of(span.role, parts.indexOf(span.part || ""));
      const least = (span.from === span.to ? 3 : 1.5) * frame.ratio;
      ctx.fillRect(from - (span.from === span.to ? least / 2 : 0), at.get(span.row) - height / 2,
        Math.max(to - from, least), height);
    }
    return all.length;
  }

  const partsOf = (all) => [...new Set(all.map((span) => span.part || ""))];

  // heat draws the cells that are not empty, with a logarithmic colour scale.
  function heat(ctx, frame, map) {
    const most = highest(map);
    const shareOf = (n) => (most > 1 ? 0.06 + 0.94 * (Math.log(n) / Math.log(most)) : 1);
    let cells = 0;
    const ys = map.y.map((v) => Math.round(frame.y(v)));
    for (let i = 0; i + 1 < map.x.length; i++) {
      const from = Math.round(frame.x(map.x[i]));
      const to = Math.max(Math.round(frame.x(map.x[i + 1])), from + 1);
      const counts = map.counts[i] ?? [];
      for (let j = 0; j + 1 < map.y.length; j++) {
        if (!counts[j]) continue;
        cells++;
        if (to < frame.left || from > frame.left + frame.width) continue;
        ctx.fillStyle = colours.heat(shareOf(counts[j]));
        ctx.fillRect(from, ys[j + 1], to - from, Math.max(ys[j] - ys[j + 1], 1));
      }
    }
    return cells;
  }

  function highest(map) {
    let most = 0;
    for (const row of map.counts ?? []) for (const n of row ?? []) most = Math.max(most, n);
    return most;
  }

  return { bands, rules, spans, partsOf, heat, highest, fitText };
})();
