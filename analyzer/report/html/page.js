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

themeSwitch();
const timeline = new Timeline();
causesTable(timeline);
compilationsTable(timeline);
for (const link of document.querySelectorAll("a.show")) {
  const cause = Number(link.dataset.cause);
  if (!timeline.hasCause(cause)) {
    link.parentElement.remove();
  } else {
    link.addEventListener("click", () => timeline.showCause(cause));
  }
}
window.addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details")) details.open = true;
});
