// Updates the page of a running measurement. Zoom, sorting, focus and scroll positions are kept.

const live = (() => {
  // replace sets the HTML of an element if it has changed. The server escapes all text, and the content security policy
  // lets no script in it run.
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

  // remember returns focus, sorting and scroll positions.
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

  // sections replaces the sections that have changed. Open ones stay open.
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

  // update shows an event.
  function update(event) {
    document.title = event.title;
    replace(document.getElementById("head"), event.head);
    replace(document.getElementById("answer"), event.answer);
    sections(document.getElementById("sections"), event.details);
    page.show(event.panels ?? []);
    page.over(event.over);
  }

  // silence is the time without an event, in ms, after which the page says that it is out of date: a connection can
  // stay open although the server is gone. The server sends an event about once a second.
  const silence = 10000;

  // listen handles events until the run has ended. The browser reconnects by itself if the connection is lost.
  function listen(path) {
    const events = new EventSource(path);
    const state = document.getElementById("state");
    let over = false;
    let last = Date.now(); // time of the last event
    const say = (text, name) => {
      if (state.textContent !== text) state.textContent = text;
      state.className = name;
    };
    say("Connecting…", "");
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
      say("The run has ended. This is its report.", "over");
    });
    const watch = setInterval(() => {
      if (over || events.readyState === EventSource.CLOSED) return clearInterval(watch);
      if (events.readyState !== EventSource.OPEN || Date.now() - last < silence) return;
      say(`No update since ${new Date(last).toLocaleTimeString()}. The page shows the last known state.`, "lost");
    }, 1000);
    events.addEventListener("error", () => {
      if (over) return;
      const gone = events.readyState === EventSource.CLOSED;
      say(gone ? "Connection lost. The page shows the last known state." : "Connection lost. Reconnecting…",
        "lost");
    });
  }

  return { listen, update };
})();
