// The tooltip.

const tips = (() => {
  function row({ name, value, text, colour }) {
    const mark = make("i");
    if (colour) mark.style.background = colour;
    else mark.hidden = true;
    const made = make("div", { class: "row" }, mark, make("span", { class: "name" }, name), make("b", {}, value));
    return text ? [made, make("div", { class: "text" }, text)] : [made];
  }

  // show places the tooltip beside the position, on the side that has room.
  function show(chart) {
    const { tip, hit, plot, place } = chart;
    const empty = !hit || (!hit.title && !hit.rows.length);
    tip.hidden = empty;
    mark(chart);
    if (empty) return;
    const heading = hit.title ? [make("div", { class: "at" }, hit.title)] : [];
    tip.replaceChildren(...heading, ...hit.rows.slice(0, 16).flatMap(row));
    if (hit.rows.length > 16) tip.append(make("div", { class: "text" }, `and ${hit.rows.length - 16} more`));
    const over = plot.over;
    const at = over.offsetLeft + chart.cssEven(place.at);
    const left = at + 14 + tip.offsetWidth > chart.host.clientWidth ? at - 14 - tip.offsetWidth : at + 14;
    const middle = place.y == null ? 4 : place.y - tip.offsetHeight / 2;
    const top = Math.min(Math.max(middle, 0), Math.max(chart.plotHeight() - tip.offsetHeight, 0));
    tip.style.left = `${Math.max(left, 0)}px`;
    tip.style.top = `${over.offsetTop + top}px`;
  }

  // mark draws a frame around the value.
  function mark({ box, hit }) {
    const around = hit?.box;
    box.hidden = !around;
    if (!around) return;
    for (const side of ["left", "top", "width", "height"]) box.style[side] = `${around[side]}px`;
    box.classList.toggle("round", !!around.round);
  }

  return { show };
})();
