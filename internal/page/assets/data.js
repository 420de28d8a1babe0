// The data in the page: packed with gzip, as letters.

const data = (() => {
  async function bytes(script) {
    const letters = atob(script.textContent);
    const packed = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  async function panels() {
    const script = document.getElementById("panels-data");
    return script ? (JSON.parse(new TextDecoder().decode(await bytes(script))) ?? []) : [];
  }

  // documents lets the buttons beside documents save them, byte for byte.
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
