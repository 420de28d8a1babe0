// A run that goes on: what it sends takes the place of what was there, and what the reader did to the page stays.

const live = (() => {
  // replace puts HTML in, unless it is there already. It is made by the server that the page is from, which writes all
  // text as text; the policy of the page lets no script in it run.
  function replace(box, html) {
    if (box.written === html) return;
    box.written = html;
    const fresh = make("template");
    fresh.innerHTML = html;
    const kept = remember(box);
    box.replaceChildren(fresh.content);
    tables.all(box);
    restore(box, kept);
  }

  const focusable = "a[href],button,summary,[tabindex]";

  // remember is what the reader did within a part of the page.
  function remember(box) {
    return {
      focus: [...box.querySelectorAll(focusable)].indexOf(document.activeElement),
      sorts: [...box.querySelectorAll("table.data")].map((table) => table.sorted),
      places: [...box.querySelectorAll(".scroll")].map((part) => [part.scrollLeft, part.scrollTop]),
    };
  }

  function restore(box, { focus, sorts, places }) {
    box.querySelectorAll("table.data").forEach((table, i) => {
      if (sorts[i] && table.tHead) tables.sort(table, sorts[i].column, sorts[i].way);
    });
    box.querySelectorAll(".scroll").forEach((part, i) => {
      if (places[i]) [part.scrollLeft, part.scrollTop] = places[i];
    });
    if (focus >= 0) box.querySelectorAll(focusable)[focus]?.focus({ preventScroll: true });
  }

  // sections are replaced one by one: those that did not change are not touched, and what is open stays open.
  function sections(box, html) {
    const fresh = make("template");
    fresh.innerHTML = html;
    const wanted = [...fresh.content.querySelectorAll("details")];
    const names = new Set(wanted.map((part) => part.id));
    for (const old of [...box.children]) if (!names.has(old.id)) old.remove();
    wanted.forEach((part, i) => {
      const old = [...box.children].find((child) => child.id === part.id);
      if (!old) {
        part.written = part.innerHTML;
        box.insertBefore(part, box.children[i] ?? null);
        tables.all(part);
        return;
      }
      if (box.children[i] !== old) box.insertBefore(old, box.children[i]);
      replace(old, part.innerHTML);
    });
  }

  // update shows what an event says.
  function update(event) {
    document.title = event.title;
    replace(document.getElementById("head"), event.head);
    replace(document.getElementById("answer"), event.answer);
    sections(document.getElementById("sections"), event.details);
    page.show(event.panels ?? []);
    page.over(event.over);
  }

  // silence is how many milliseconds nothing may come until the page says that what it shows is old: a machine that is
  // gone, or a program that is held, ends no connection. The server tells something about once a second.
  const silence = 10000;

  // listen takes what the server tells, until the run is over. A browser tries again by itself when the connection is
  // lost, and the page says so meanwhile.
  function listen(path) {
    const events = new EventSource(path);
    const state = document.getElementById("state");
    let over = false;
    let last = Date.now(); // when something came
    const say = (text, name) => {
      if (state.textContent !== text) state.textContent = text;
      state.className = name;
    };
    say("Live: connecting …", "");
    events.addEventListener("open", () => {
      last = Date.now();
      say("Live", "on");
    });
    events.addEventListener("message", ({ data: text }) => {
      last = Date.now();
      const event = JSON.parse(text);
      update(event);
      over = event.over;
      if (!over) return say("Live", "on");
      events.close();
      say("The run is over: this is its report.", "over");
    });
    const watch = setInterval(() => {
      if (over || events.readyState === EventSource.CLOSED) return clearInterval(watch);
      if (events.readyState !== EventSource.OPEN || Date.now() - last < silence) return;
      say(`Nothing has come since ${new Date(last).toLocaleTimeString()}: this is what was known by then.`, "lost");
    }, 1000);
    events.addEventListener("error", () => {
      if (over) return;
      const gone = events.readyState === EventSource.CLOSED;
      say(gone ? "The connection is lost: this is what was known by then." : "The connection is lost; trying again …",
        "lost");
    });
  }

  return { listen, update };
})();
