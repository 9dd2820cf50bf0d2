// Puts the page together.

function themeSwitch() {
  const root = document.documentElement;
  const control = document.getElementById("theme");
  const isDark = () => (root.dataset.theme ??
    (window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const word = () => { control.textContent = isDark() ? "Light" : "Dark"; };
  control.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    word();
  });
  word();
  control.hidden = false;
}

function aboutRun() {
  const timeline = new Timeline();
  causesTable(timeline);
  compilationsTable(timeline);
  for (const card of document.querySelectorAll("article[id^=cause-]")) {
    const cause = Number(card.id.slice("cause-".length));
    if (!timeline.hasCause(cause)) continue;
    card.append(element("p", {}, element("a",
      { class: "show", href: "#timeline", click: () => timeline.showCause(cause) },
      "Show it in the timeline")));
  }
}

themeSwitch();
if (data !== null) aboutRun();
window.addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details")) details.open = true;
});
