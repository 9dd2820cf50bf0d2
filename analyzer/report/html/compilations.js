// The same as the drawing, as a table.
function compilationsTable(timeline) {
  const place = document.getElementById("timeline-table");
  const marks = timeline.marks.filter((mark) => !notCompilations.has(mark.kind));
  if (place === null || marks.length === 0) return;
  const laneOf = (mark) => timeline.lanes[mark.lane];
  const isLine = (mark) => data.timeline.clocks[laneOf(mark).clock].unit === "line";
  for (const mark of marks) {
    const lane = laneOf(mark);
    mark.searched = [lane.name, lane.place, kindWords[mark.kind], mark.id, mark.note]
      .join("\n").toLowerCase();
  }
  const table = element("table", { id: "compilations-table" },
    element("caption", {}, "Compilations and what else is in the timeline"),
    element("thead"), element("tbody"));
  const status = element("p", { id: "compilations-count", role: "status", "aria-live": "polite" });
  const controls = element("div", { class: "controls", role: "search",
    "aria-label": "Filter the compilations" });
  place.append(element("details", {}, element("summary", {}, "As a table"), controls, status,
    element("div", { class: "scroll" }, table)));
  const view = new DataTable({
    table, status, noun: "row", items: marks,
    columns: [
      { title: "At", number: true, value: (mark) => mark.at,
        cell: (mark) => button(isLine(mark) ? `line ${mark.at}` : secondsText(mark.at), () => {
          timeline.choose(mark, true);
          timeline.svg.focus();
        }, { class: "link" }) },
      { title: "Took", number: true, value: (mark) => mark.took, cell: (mark) => secondsText(mark.took) },
      { title: "What", value: (mark) => kindWords[mark.kind], cell: (mark) => kindWords[mark.kind] },
      { title: "Function", value: (mark) => laneOf(mark).name.toLowerCase(),
        cell: (mark) => element("code", {}, laneOf(mark).place === ""
          ? laneOf(mark).name : `${laneOf(mark).name} (${laneOf(mark).place})`) },
      { title: "Id", value: (mark) => mark.id, cell: (mark) => mark.id },
      { title: "Rank", number: true, value: (mark) => laneOf(mark).rank,
        cell: (mark) => (laneOf(mark).rank === null ? "" : String(laneOf(mark).rank)) },
      { title: "Cause", value: (mark) => (mark.cause < 0 ? null : mark.cause),
        cell: (mark) => (mark.cause < 0 ? "" : data.causes[mark.cause].message) },
    ],
  });
  const change = () => {
    const wanted = text.value.trim().toLowerCase();
    view.show((mark) =>
      (what.value === "" || kindWords[mark.kind] === what.value) &&
      (ofRank.value === "" || laneOf(mark).rank === Number(ofRank.value)) &&
      (wanted === "" || mark.searched.includes(wanted)));
  };
  const [textLabel, text] = searchField(change);
  const [whatLabel, what] = choice("What", distinct(marks.map((mark) => kindWords[mark.kind])), change);
  const ranks = marks.map((mark) => laneOf(mark).rank).filter((one) => one !== null);
  const [rankLabel, ofRank] = choice("Rank", byNumber(ranks), change);
  controls.append(textLabel, whatLabel, rankLabel);
}
