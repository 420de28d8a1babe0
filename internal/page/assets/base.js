// Shared helpers: elements, colours, the theme, saving files. page.go wraps all scripts in one function, whose only
// global is window.plimsoll.

// make returns an element with attributes and children. Strings become text, never markup.
function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(key, "");
    else if (value !== false && value != null) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
}

function button(text, attributes, action) {
  const made = make("button", { type: "button", ...attributes }, text);
  made.addEventListener("click", action);
  return made;
}

const fontOf = (px) => `${px}px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif`;

// saveAs downloads data as a file.
function saveAs(name, data, type) {
  const url = URL.createObjectURL(new Blob([data], { type }));
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

const theme = (() => {
  const key = "plimsoll-theme";
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const listeners = [];
  let printing = false;

  // Storage can be forbidden, for example for files in some browsers. The choice then lasts as long as the page.
  function stored() {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  }

  function dark() {
    const chosen = document.documentElement.dataset.theme;
    return !printing && (chosen ? chosen === "dark" : system.matches);
  }

  const changed = () => listeners.forEach((listener) => listener());

  function choose(name) {
    document.documentElement.dataset.theme = name;
    try {
      localStorage.setItem(key, name);
    } catch { /* the choice lasts as long as the page */ }
    changed();
  }

  function print(now) {
    printing = now;
    changed();
  }

  function start() {
    const chosen = stored();
    if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
    system.addEventListener("change", changed);
  }

  return { start, dark, choose, print, onChange: (listener) => listeners.push(listener) };
})();

// Colours that are distinct with colour vision deficiency (Okabe and Ito, 2008; beyond eight, Tol). The first of each
// pair is for the light theme, the second for the dark one.
const colours = (() => {
  const roles = {
    ok: ["#0072b2", "#56b4e9"],
    failed: ["#96286e", "#f08cc4"],
    offered: ["#444444", "#d0d0d0"],
    p50: ["#0072b2", "#56b4e9"],
    p90: ["#009e73", "#2fcfa0"],
    p99: ["#d55e00", "#ff9248"],
    p999: ["#882255", "#dd9ccf"],
    max: ["#6b6b6b", "#a8a8a8"],
    own: ["#b97d00", "#f0b429"],
    fitted: ["#1e1e1e", "#f0f0f0"],
    met: ["#009e73", "#2fcfa0"],
    unknown: ["#8a8a8a", "#9a9a9a"],
    neutral: ["#707070", "#b0b0b0"],
  };
  const others = [
    ["#0072b2", "#56b4e9"], ["#d55e00", "#ff9248"], ["#009e73", "#2fcfa0"], ["#96286e", "#f08cc4"],
    ["#e69f00", "#f0b429"], ["#56b4e9", "#a9dcff"], ["#332288", "#a99bff"], ["#999933", "#d8d86a"],
    ["#882255", "#c66b98"], ["#44aa99", "#7fe0d0"], ["#707070", "#b0b0b0"], ["#ddcc77", "#fff0a0"],
  ];
  const inks = {
    ink: ["#1c2530", "#e6e9ee"], soft: ["#55606e", "#a6b0bd"], grid: ["#e4e8ed", "#2c3542"],
    frame: ["#aab4c0", "#55606e"], paper: ["#ffffff", "#161c24"],
  };
  // The lowest count is closest to the background.
  const ramps = [
    [[222, 235, 247], [107, 174, 214], [8, 81, 156], [8, 29, 73]],
    [[24, 50, 82], [52, 110, 130], [150, 170, 90], [253, 234, 69]],
  ];
  const side = () => (theme.dark() ? 1 : 0);

  function of(role, index = 0) {
    if (roles[role]) return roles[role][side()];
    const number = Number.parseInt(role, 10);
    const at = number > 0 ? number - 1 : index;
    return others[at % others.length][side()];
  }

  // heat returns the colour for a share of the highest count, 0 to 1.
  function heat(share) {
    const ramp = ramps[side()];
    const at = Math.min(Math.max(share, 0), 1) * (ramp.length - 1);
    const low = Math.min(Math.floor(at), ramp.length - 2);
    const mixed = ramp[low].map((v, i) => Math.round(v + (ramp[low + 1][i] - v) * (at - low)));
    return `rgb(${mixed.join(",")})`;
  }

  return { of, heat, ink: (name) => inks[name][side()] };
})();
