// Sortable tables.

const tables = (() => {
  const factors = {
    ns: 1, "µs": 1e3, us: 1e3, ms: 1e6, s: 1e9, min: 6e10, m: 6e10, h: 3.6e12,
    B: 1, bytes: 1, byte: 1, kB: 1e3, MB: 1e6, GB: 1e9, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40,
    bit: 1, kbit: 1e3, Mbit: 1e6, Gbit: 1e9, "%": 0.01, k: 1e3, M: 1e6,
  };
  const letters = new Intl.Collator("en", { numeric: true });

  // valueOf returns the first number of a cell in base units: "1.5 ms" is 1,500,000. NaN: none.
  function valueOf(text) {
    const trimmed = text.trim().replace(/^[<>≥≤~≈±p]\s*/, "");
    const clock = /^(\d+):(\d\d)(?::(\d\d))?(\.\d+)?/.exec(trimmed);
    if (clock) {
      const [, a, b, c, part] = clock;
      return ((c === undefined ? +a * 60 + +b : +a * 3600 + +b * 60 + +c) + Number(part ?? 0)) * 1e9;
    }
    const minutes = /^(?:(\d+)h)?(\d+)m(\d+(?:\.\d+)?)s\b/.exec(trimmed);
    if (minutes) return ((+(minutes[1] ?? 0) * 60 + +minutes[2]) * 60 + +minutes[3]) * 1e9;
    const found = /^([+\-−]?[\d,]*\.?\d+(?:e[+-]?\d+)?)\s*([^\s\d/,;()]+)?/i.exec(trimmed);
    if (!found) return NaN;
    return Number(found[1].replaceAll(",", "").replace("−", "-")) * (factors[found[2]] ?? 1);
  }

  // blocks groups rows with the members below them.
  function blocks(rows) {
    const all = [];
    for (const row of rows) {
      if (row.classList.contains("member") && all.length) all.at(-1).members.push(row);
      else all.push({ row, members: [] });
    }
    return all;
  }

  const cell = (row, column) => row.cells[column]?.textContent.trim() ?? "";
  const unknown = (text) => text === "" || text === "–" || text === "-";

  // order returns a comparison by a column. Unknown values come last in both directions.
  function order(rows, column, sign) {
    const known = rows.map((row) => cell(row, column)).filter((text) => !unknown(text));
    const figures = known.filter((text) => !Number.isNaN(valueOf(text))).length > known.length / 2;
    return (a, b) => {
      const [left, right] = [cell(a, column), cell(b, column)];
      if (unknown(left) || unknown(right)) return unknown(left) - unknown(right);
      if (!figures) return sign * letters.compare(left, right);
      const [x, y] = [valueOf(left), valueOf(right)];
      if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);
      return sign * (x - y);
    };
  }

  // sort sorts by a column: "ascending", "descending", or "none" for the original order.
  function sort(table, column, way) {
    const body = table.tBodies[0];
    table.written ??= [...body.rows];
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, i) => {
      if (i === column && way !== "none") head.setAttribute("aria-sort", way);
      else head.removeAttribute("aria-sort");
    });
    table.sorted = way === "none" ? null : { column, way };
    if (way === "none") return body.append(...table.written);
    const compare = order(table.written, column, way === "ascending" ? 1 : -1);
    const all = blocks(table.written).sort((a, b) => compare(a.row, b.row));
    body.append(...all.flatMap(({ row, members }) => [row, ...members.sort(compare)]));
  }

  // sortable adds a button to each column head of a table with more than one row.
  function sortable(table) {
    if (!table.tHead || table.tBodies[0].rows.length < 2) return;
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      if (head.querySelector("button")) return;
      const text = head.textContent.trim();
      const made = button(text, text ? {} : { "aria-label": "Sort by name" }, () => {
        const now = head.getAttribute("aria-sort");
        const first = head.classList.contains("number") ? "descending" : "ascending";
        const second = first === "ascending" ? "descending" : "ascending";
        sort(table, column, now === null ? first : now === first ? second : "none");
      });
      made.classList.add("sort");
      head.replaceChildren(made);
    });
  }

  const all = (within) => within.querySelectorAll("table.data").forEach(sortable);

  return { all, sortable, sort, valueOf };
})();
