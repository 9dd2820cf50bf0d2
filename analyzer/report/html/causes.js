// The table of causes.

const severityOrder = { error: 0, warning: 1, note: 2 };

function term(list, name, ...content) {
  if (content.every((part) => part === "")) return;
  list.append(element("dt", {}, name), element("dd", {}, ...content));
}

function causeDetail(cause) {
  const list = element("dl");
  term(list, "changed", cause.varied);
  term(list, "count", cause.evidence === "" ? cause.seen : `${cause.seen}, ${cause.evidence}`);
  for (const action of cause.advice) {
    const notes = [];
    if (action.torch !== "") notes.push(`torch ${action.torch}`);
    if (action.saves_seconds !== null && action.saves_seconds >= 0.1) {
      notes.push(`predicted to save ${secondsText(action.saves_seconds)}`);
    }
    const parts = [action.text, element("small", {}, notes.length ? ` ${notes.join(", ")}` : "")];
    if (action.code !== "") {
      parts.push(element("pre", {}, element("code", {}, action.code)));
    }
    term(list, "fix", ...parts);
    term(list, "caveat", action.trap);
  }
  for (const step of cause.next_steps) {
    const code = step.code === "" ? "" : element("pre", {}, element("code", {}, step.code));
    term(list, "next", step.text, code);
  }
  term(list, "rule", element("code", {}, cause.rule), ` ${cause.name}, fingerprint `,
    element("code", {}, cause.fingerprint));
  return list;
}

function causesTable(timeline) {
  const table = document.getElementById("causes-table");
  if (!table) return;
  document.getElementById("causes-rest")?.remove();
  const causes = data.causes.map((cause, index) => ({
    ...cause, index,
    searched: [cause.message, cause.rule, cause.name, cause.kind, cause.look_at, cause.varied,
      cause.fingerprint].join("\n").toLowerCase(),
  }));

  // The message opens what else is known of a cause, in a row of its own below.
  const messageCell = (cause, row) => {
    const toggle = button(cause.message, () => {
      const isOpen = toggle.getAttribute("aria-expanded") === "true";
      toggle.setAttribute("aria-expanded", String(!isOpen));
      if (isOpen) {
        row.nextElementSibling.remove();
        return;
      }
      const show = element("a", { href: "#timeline", click: () => timeline.showCause(cause.index) },
        "Show it in the timeline");
      row.after(element("tr", { class: "detail" },
        element("td", { colspan: 7 }, causeDetail(cause), timeline.hasCause(cause.index) ? show : "")));
    }, { class: "link", "aria-expanded": "false" });
    return cause.look_at === ""
      ? toggle : [toggle, element("br"), element("code", {}, cause.look_at)];
  };
  const controls = element("div", { class: "controls", id: "causes-controls", role: "search",
    "aria-label": "Filter the causes" });
  const status = element("p", { id: "causes-count", role: "status", "aria-live": "polite" });
  table.parentElement.before(controls, status);
  const view = new DataTable({
    table, status, noun: "cause", items: causes,
    columns: [
      { title: "Severity", value: (cause) => severityOrder[cause.severity],
        cell: (cause) => element("span", { class: `severity ${cause.severity}` }, cause.severity) },
      { title: "Rule", value: (cause) => cause.rule, cell: (cause) => element("code", {}, cause.rule) },
      { title: "Kind", value: (cause) => cause.kind, cell: (cause) => cause.kind },
      { title: "Cause", value: (cause) => cause.message.toLowerCase(), cell: messageCell },
      { title: "Times", number: true, value: (cause) => cause.count, cell: (cause) => String(cause.count) },
      { title: "Seconds", number: true, value: (cause) => cause.seconds,
        cell: (cause) => cause.seconds_text },
      { title: "Ranks", value: (cause) => cause.ranks.length ? cause.ranks[0] : null,
        cell: (cause) => cause.ranks_text },
    ],
  });

  const change = () => {
    const wanted = text.value.trim().toLowerCase();
    view.show((cause) =>
      (severity.value === "" || cause.severity === severity.value) &&
      (kind.value === "" || cause.kind === kind.value) &&
      (ofRank.value === "" || cause.ranks.includes(Number(ofRank.value))) &&
      (wanted === "" || cause.searched.includes(wanted)));
  };
  const [textLabel, text] = searchField(change);
  const [severityLabel, severity] = choice("Severity",
    ["error", "warning", "note"].filter((name) => causes.some((cause) => cause.severity === name)), change);
  const [kindLabel, kind] = choice("Kind", distinct(causes.map((cause) => cause.kind)), change);
  const [rankLabel, ofRank] = choice("Rank", byNumber(causes.flatMap((cause) => cause.ranks)), change);
  controls.append(textLabel, severityLabel, kindLabel, rankLabel);
}
