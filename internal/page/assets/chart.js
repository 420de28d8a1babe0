// A chart. uPlot provides axes, cursor and selection; draw.js and field.js draw the content.

// together groups charts with the same horizontal axis, which share zoom and cursor.
const together = new Map();

class Chart {
  constructor(panel, host, onChange) {
    this.host = host;
    this.onChange = onChange; // called when the zoom changes
    this.hidden = new Set(); // names of hidden series
    this.zoom = null; // [from, to] of the even axis
    this.stop = null; // position of the keyboard cursor
    this.counts = {}; // number of points drawn, by series
    this.tip = make("div", { class: "tip", hidden: true });
    this.box = make("div", { class: "spot", hidden: true });
    this.take(panel);
    const { width, height } = this.room();
    this.plot = new uPlot(this.options(width, height), [[0, 1], [null, null]], host);
    this.plot.over.append(this.box);
    host.append(this.tip);
    this.listen();
    this.fit();
  }

  // take sets the panel to show.
  take(panel) {
    this.panel = panel;
    this.rows = shapes.rows(panel.spans ?? []);
    this.all = (panel.series ?? []).map(shapes.points);
    this.stepped = this.all.some((one) => one.steps);
    shapes.stack(this.shown());
    const values = shapes.widths(panel, this.all);
    for (const rule of panel.rules ?? []) if (rule.vertical) values.push(rule.at);
    this.whole = scales.fit(panel.x, values, false);
    if (!(panel.x.from || panel.x.to) && this.all.some((one) => one.style === "dots")) {
      const pad = (this.whole[1] - this.whole[0]) * 0.03;
      this.whole = [this.whole[0] - (this.whole[0] === 0 ? 0 : pad), this.whole[1] + pad];
    }
    if (panel.x.scale === "tail") this.whole[1] += 0.04 * (this.whole[1] - this.whole[0]);
    this.join();
  }

  // join adds the chart to the group of its time axis.
  join() {
    const { x } = this.panel;
    const key = x.unit === "s" && !x.scale ? `${x.name} ${x.to ?? 0}` : null;
    if (key === this.group) return;
    together.get(this.group)?.delete(this);
    this.group = key;
    if (key === null) return;
    if (!together.has(key)) together.set(key, new Set());
    const zoomed = [...together.get(key)].find((other) => other.zoom);
    if (zoomed) this.zoom = zoomed.zoom;
    together.get(key).add(this);
  }

  others() {
    return [...(together.get(this.group) ?? [])].filter((other) => other !== this);
  }

  // set replaces the panel and keeps zoom and hidden series.
  set(panel) {
    this.take(panel);
    this.fit();
    if (this.place) this.read();
  }

  shown() {
    return this.all.filter((one) => !this.hidden.has(one.name));
  }

  toggle(name) {
    if (this.hidden.has(name)) this.hidden.delete(name);
    else this.hidden.add(name);
    shapes.stack(this.shown());
    this.fit();
  }

  room() {
    const width = this.fixed ?? Math.max(this.host.clientWidth, 200);
    if (this.rows.length) return { width, height: Math.min(Math.max(this.rows.length * 24, 60), 1400) + 60 };
    return { width, height: Math.round(Math.min(Math.max(width * 0.42, 200), this.fixed ? 210 : 300)) };
  }

  options(width, height) {
    const given = (u, low, high) => [low, high];
    return {
      width, height, legend: { show: false },
      padding: [10, 26, 0, 4], // on the right: half of the last tick label
      cursor: {
        x: true, y: true, points: { show: false }, drag: { x: true, y: false, dist: 6, setScale: false },
        bind: { dblclick: () => () => this.reset() },
      },
      scales: { x: { time: false, auto: false, range: given }, y: { auto: false, range: given } },
      series: [{}, { scale: "y", paths: () => null, points: { show: false } }],
      axes: [axes.horizontal(this), axes.vertical(this)],
      hooks: {
        draw: [() => this.draw()],
        setCursor: [() => this.moved()],
        setSelect: [(u) => this.selected(u.select)],
      },
    };
  }

  listen() {
    const { over } = this.plot;
    over.addEventListener("mouseenter", () => { this.pointed = true; });
    over.addEventListener("mouseleave", () => {
      this.pointed = false;
      this.leave();
    });
    this.host.addEventListener("keydown", (event) => {
      if (event.target === this.host && keys.press(this, event)) event.preventDefault();
    });
    this.host.addEventListener("blur", () => this.leave());
    this.sizes = new ResizeObserver(() => this.resize());
    this.sizes.observe(this.host);
  }

  resize() {
    const { width, height } = this.room();
    if (width !== this.plot.width || height !== this.plot.height) this.plot.setSize({ width, height });
  }

  // fit sets both axes; the vertical one fits what the horizontal one shows.
  fit() {
    const [low, high] = this.view();
    this.heights = this.fitHeights(low, high);
    this.resize();
    this.plot.batch(() => {
      this.plot.setScale("x", { min: low, max: high });
      this.plot.setScale("y", { min: this.heights[0], max: this.heights[1] });
    });
    this.plot.redraw(false, true);
    this.onChange?.();
  }

  fitHeights(low, high) {
    const { panel } = this;
    if (this.rows.length) return [0, this.rows.length];
    if (panel.heat) return scales.fit(panel.y, panel.heat.y.filter((v) => !panel.y.scale || v > 0), false);
    const values = shapes.heights(this.shown(), panel.x, low, high);
    const top = values.reduce((a, b) => Math.max(a, b), -Infinity);
    const least = values.reduce((a, b) => (b > 0 ? Math.min(a, b) : a), Infinity);
    // A limit belongs to the picture, unless it is so far away that everything else would be flat.
    for (const rule of panel.rules ?? []) {
      const near = panel.y.scale === "log" ? rule.at <= top * 1e4 && rule.at >= least / 1e4 : rule.at <= top * 5;
      if (!rule.vertical && (near || !values.length)) values.push(rule.at);
    }
    return scales.fit(panel.y, values, true);
  }

  view() {
    return this.zoom ?? this.whole;
  }

  zoomed() {
    return this.zoom !== null;
  }

  // zoomTo shows a range, here and in the charts of the same group. It ignores ranges that are too short.
  zoomTo(from, to) {
    const [low, high] = this.whole;
    const least = (high - low) / 1e5;
    const [a, b] = [Math.max(Math.min(from, to), low), Math.min(Math.max(from, to), high)];
    const zoom = b - a < least ? null : a <= low && b >= high ? null : [a, b];
    if (b - a < least) return;
    for (const chart of [this, ...this.others()]) {
      chart.zoom = zoom;
      chart.fit();
    }
  }

  zoomBy(factor) {
    const [low, high] = this.view();
    const at = this.place && this.place.at >= low && this.place.at <= high ? this.place.at : (low + high) / 2;
    this.zoomTo(at - (at - low) * factor, at + (high - at) * factor);
    if (this.stop) this.goTo(this.stop);
  }

  reset() {
    for (const chart of [this, ...this.others()]) {
      chart.zoom = null;
      chart.fit();
    }
  }

  selected({ left, width }) {
    if (width <= 0) return;
    const [from, to] = [this.plot.posToVal(left, "x"), this.plot.posToVal(left + width, "x")];
    this.plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.zoomTo(from, to);
  }

  // moved handles a move of the pointer.
  moved() {
    if (!this.pointed || this.going) return;
    const { left, top } = this.plot.cursor;
    if (left == null || left < 0) return;
    this.stop = null;
    this.show({ at: this.plot.posToVal(left, "x"), y: top });
  }

  // goTo moves the keyboard cursor.
  goTo(stop) {
    this.stop = stop;
    this.cursor(stop);
    this.show(stop);
    announce(this.words());
  }

  cursor(place) {
    this.going = true;
    this.plot.setCursor({ left: this.cssEven(place.at), top: place.y ?? -10 }, false, false);
    this.going = false;
  }

  show(place) {
    this.place = place;
    this.read();
    for (const other of this.others()) {
      other.place = { at: place.at, y: null };
      other.cursor(other.place);
      other.read();
    }
  }

  leave() {
    for (const chart of [this, ...this.others()]) {
      chart.place = chart.stop = null;
      chart.tip.hidden = chart.box.hidden = true;
      chart.going = true;
      chart.plot.setCursor({ left: -10, top: -10 }, false, false);
      chart.going = false;
    }
  }

  read() {
    const [low, high] = this.view();
    this.hit = this.place.at < low || this.place.at > high ? null : reading.at(this, this.place);
    tips.show(this);
  }

  // words describes the values at the cursor, for screen readers.
  words() {
    if (!this.hit) return "";
    return [this.hit.title, ...this.hit.rows.map((r) => [r.name, r.value, r.text].filter(Boolean).join(" "))]
      .filter(Boolean).join("; ");
  }

  draw() {
    const { ctx, bbox } = this.plot;
    const frame = this.frame(bbox);
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    this.counts = {};
    const { panel, hidden } = this;
    if (panel.heat) this.counts[panel.heat.of] = field.heat(ctx, frame, panel.heat);
    field.bands(ctx, frame, panel.bands ?? [], hidden);
    if (this.rows.length) this.counts.spans = field.spans(ctx, frame, panel.spans, this.rows, hidden);
    const series = (dots) => {
      for (const one of this.shown()) {
        if ((one.style === "dots") === dots) this.counts[one.name] = draw.series(ctx, frame, one);
      }
    };
    series(false);
    const labelled = !this.rows.length; // in rows a label would cover a span
    field.rules(ctx, frame, panel.rules ?? [], labelled, this.points(frame));
    series(true); // no name of a rule hides a point
    ctx.restore();
  }

  // points returns the positions of values on the canvas, and some on the lines between them; at most some thousands.
  points(frame) {
    const all = [];
    for (const one of this.shown()) {
      const every = Math.ceil(one.x.length / 1000);
      for (let i = 0; i < one.x.length; i += every) {
        if (one.y[i] == null) continue;
        const x = frame.x(one.x[i]);
        const y = frame.y(one.y[i] + (one.base?.[i] ?? 0));
        all.push({ x: one.steps ? (x + frame.x(one.to[i])) / 2 : x, y, r: one.style === "dots" ? 4 * frame.ratio : 0 });
        const next = one.steps || one.style === "dots" ? null : one.y[i + every];
        if (next == null) continue;
        const [toX, toY] = [frame.x(one.x[i + every]), frame.y(next)];
        const between = Math.min(Math.ceil(Math.hypot(toX - x, toY - y) / (12 * frame.ratio)), 40);
        for (let k = 1; k < between; k++) {
          all.push({ x: x + (toX - x) * k / between, y: y + (toY - y) * k / between });
        }
      }
    }
    return all;
  }

  // frame maps values to the canvas. Values that the axis cannot show, such as 0 on a log scale, are at its end.
  frame(bbox) {
    const { x, y } = this.panel;
    const [low, high] = this.view();
    const [bottom, top] = this.heights;
    const within = (v, a, b) => (v === Infinity ? b : v === -Infinity ? a : v);
    const { left, width, height } = bbox;
    const atX = (v) => left + (within(scales.to(x, v), low, high) - low) / (high - low) * width;
    const atY = (v) => bbox.top + (top - within(scales.to(y, v), bottom, top)) / (top - bottom) * height;
    const zero = y.scale ? bbox.top + height : Math.min(Math.max(atY(0), bbox.top), bbox.top + height);
    const ratio = uPlot.pxRatio;
    return { x: atX, y: atY, zero, left, top: bbox.top, width, height, ratio, font: fontOf(Math.round(11 * ratio)), axisX: x };
  }

  // Pixels of the plot, as the pointer knows them.
  plotWidth() { return this.plot.over.clientWidth; }
  plotHeight() { return this.plot.over.clientHeight; }
  cssEven(at) { const [low, high] = this.view(); return (at - low) / (high - low) * this.plotWidth(); }
  cssEvenY(at) { const [low, high] = this.heights; return (high - at) / (high - low) * this.plotHeight(); }
  cssX(v) { const at = scales.to(this.panel.x, v); return this.cssEven(at === Infinity ? this.view()[1] : at); }
  cssY(v) { return this.cssEvenY(scales.to(this.panel.y, v)); }
  even(pixels) { const [low, high] = this.view(); return pixels / this.plotWidth() * (high - low); }

  valueAt(y) {
    const [low, high] = this.heights;
    return scales.from(this.panel.y, high - y / this.plotHeight() * (high - low));
  }

  valueY(v) {
    const named = this.panel.y.ticks?.find((tick) => tick.at === v);
    return named ? named.name : units.value(v, this.panel.y);
  }

  destroy() {
    together.get(this.group)?.delete(this);
    this.sizes.disconnect();
    this.plot.destroy();
  }
}

// announce sends text to screen readers.
function announce(text) {
  document.getElementById("said").textContent = text;
}
