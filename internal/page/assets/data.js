// The data embedded in the page: gzip, base64.

const data = (() => {
  async function bytes(script) {
    const letters = atob(script.textContent);
    const packed = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    const rest = new Uint8Array(await new Response(stream).arrayBuffer());
    return script.dataset.again ? whole(rest, script.dataset.again.split(" ").map(Number)) : rest;
  }

  // whole restores repetitions: triples of position, source position and length.
  function whole(rest, again) {
    let size = rest.length;
    for (let i = 2; i < again.length; i += 3) size += again[i];
    const all = new Uint8Array(size);
    let read = 0, at = 0;
    for (let i = 0; i < again.length; i += 3) {
      const [to, from, length] = again.slice(i, i + 3);
      all.set(rest.subarray(read, read + to - at), at);
      read += to - at;
      all.copyWithin(to, from, from + length);
      at = to + length;
    }
    all.set(rest.subarray(read), at);
    return all;
  }

  async function panels() {
    const script = document.getElementById("panels-data");
    return script ? (JSON.parse(new TextDecoder().decode(await bytes(script))) ?? []) : [];
  }

  // documents makes the buttons beside documents save them byte for byte.
  function documents() {
    for (const save of document.querySelectorAll("#documents button.save")) {
      const script = save.parentElement.querySelector("script");
      save.hidden = false;
      save.setAttribute("aria-label", `Save ${script.dataset.name}`);
      save.addEventListener("click", async () => saveAs(script.dataset.name, await bytes(script), "application/json"));
    }
  }

  return { panels, documents };
})();
