// The timeline: lanes of marks, drawn by pixels so that no number of compilations is too many.

// Labels of the kinds of marks. Moments have no length; the others are bars.
const kindWords = {
  compile: "first compile", recompile: "recompile", backward: "backward graph compiled",
  failed: "compile failed", empty: "compiled for nothing: no ops", unfinished: "compile has no end",
  miss: "recompile", limit: "recompile limit hit", break: "graph break", skipped: "frame skipped",
  error: "error", profile: "compile in a profile", pause: "pause", step: "step", slow: "slow step",
  stall: "stall",
};
const notCompilations = new Set(["step"]);
const lanesAtOnce = 40;
const laneHeight = 22;
const labelWidth = 230;
const axisHeight = 26;

// Columns of the data as objects; times in seconds since the clock began, or lines.
function readMarks() {
  const { marks, texts, kinds, lanes, clocks } = data.timeline;
  return marks.lane.map((lane, index) => {
    const isLine = clocks[lanes[lane].clock].unit === "line";
    const seconds = (us) => (us === null ? null : us / 1e6);
    return {
      index, lane, kind: kinds[marks.kind[index]], cause: marks.cause[index],
      at: isLine ? marks.at[index] : marks.at[index] / 1e6,
      took: seconds(marks.us[index]), length: isLine ? 0 : seconds(marks.us[index]) ?? 0,
      id: texts[marks.id[index]], note: texts[marks.note[index]], cache: texts[marks.cache[index]],
      backend: seconds(marks.backend[index]), inductor: seconds(marks.inductor[index]),
    };
  });
}

class Timeline {
  constructor() {
    this.lanes = data.timeline.lanes;
    this.marks = readMarks();
    this.marksOf = this.lanes.map(() => []);
    for (const mark of this.marks) this.marksOf[mark.lane].push(mark);
    this.cause = -1;
    this.chosen = null;
    this.clock = 0;
    this.ofRank = "";
    this.first = 0;
    const place = document.getElementById("timeline-view");
    if (place === null || this.marks.length === 0) {
      place?.remove();
      return;
    }
    this.view = element("div");
    // Before the first drawing, which needs its width.
    place.replaceWith(this.view,
      element("p", { id: "timeline-chosen", role: "status", "aria-live": "polite" }),
      element("div", { id: "timeline-table" }));
    this.build();
    this.showAll();
    window.addEventListener("resize", () => this.draw());
  }

  hasCause(cause) {
    return this.marks.some((mark) => mark.cause === cause);
  }

  build() {
    const { clocks } = data.timeline;
    const clockNames = clocks.map((clock, index) =>
      clock.name === "" ? `clock ${index + 1}` : clock.name.replace(/^, /, ""));
    const [clockLabel, clock] = choice("Clock", clockNames, () => {
      this.clock = Math.max(clockNames.indexOf(clock.value), 0);
      this.showAll();
    });
    clock.options[0].remove(); // one clock at a time
    this.clockSelect = clock;
    clockLabel.hidden = clocks.length < 2;
    const ranks = byNumber(this.lanes.map((lane) => lane.rank).filter((one) => one !== null));
    const [rankLabel, ofRank] = choice("Rank", ranks, () => {
      this.ofRank = ofRank.value;
      this.showAll();
    });
    rankLabel.hidden = ranks.length < 2;
    this.rankSelect = ofRank;
    this.before = button("Lanes before", () => this.turn(-lanesAtOnce));
    this.after = button("Lanes after", () => this.turn(lanesAtOnce));
    this.where = element("span", { class: "faint" });
    this.svg = drawn("svg", {
      class: "timeline", tabindex: 0, role: "application", "aria-roledescription": "timeline",
      "aria-labelledby": "timeline-name timeline-keys", "aria-describedby": "timeline-chosen",
      keydown: (event) => this.onKey(event),
      click: (event) => this.choose(this.markAt(event), false),
      pointermove: (event) => this.hint(event),
    });
    this.hinted = element("p", { class: "faint hint", "aria-hidden": "true" });
    this.legend = element("p", { class: "legend" });
    this.view.append(
      element("div", { class: "controls" }, clockLabel, rankLabel,
        button("Zoom in", () => this.zoom(0.5)), button("Zoom out", () => this.zoom(2)),
        button("Earlier", () => this.pan(-0.5)), button("Later", () => this.pan(0.5)),
        button("All", () => this.showAll()), this.before, this.after, this.where),
      this.svg, this.hinted, this.legend);
    if (data.timeline.left_out > 0) {
      this.view.append(element("p", { class: "faint" },
        `${data.timeline.left_out} more are not drawn: there are too many.`));
    }
  }

  // ---- What is shown

  shownLanes() {
    const all = this.lanes.map((_, index) => index).filter((index) =>
      this.lanes[index].clock === this.clock &&
      (this.ofRank === "" || this.lanes[index].rank === Number(this.ofRank)));
    return { all, shown: all.slice(this.first, this.first + lanesAtOnce) };
  }

  showAll() {
    this.first = 0;
    this.cause = -1;
    const marks = this.shownLanes().all.flatMap((lane) => this.marksOf[lane]);
    this.setView(marks);
  }

  // Shows the time that `marks` take, with some room.
  setView(marks) {
    let from = Infinity;
    let to = -Infinity;
    for (const mark of marks) {
      from = Math.min(from, mark.at);
      to = Math.max(to, mark.at + mark.length);
    }
    if (from > to) [from, to] = [0, 1];
    const room = Math.max((to - from) * 0.03, 1e-6);
    [this.from, this.to] = [from - room, to + room];
    this.draw();
  }

  showCause(cause) {
    const marks = this.marks.filter((mark) => mark.cause === cause);
    if (marks.length === 0) return;
    this.useLane(marks[0].lane);
    this.cause = cause;
    this.setView(marks.filter((mark) => this.lanes[mark.lane].clock === this.clock));
    this.choose(marks[0], true);
  }

  // Makes the lane one of those that are drawn.
  useLane(lane) {
    const { clock, rank } = this.lanes[lane];
    if (clock !== this.clock) {
      this.clock = clock;
      this.clockSelect.selectedIndex = clock;
    }
    if (this.ofRank !== "" && rank !== Number(this.ofRank)) {
      this.ofRank = this.rankSelect.value = "";
    }
    const position = this.shownLanes().all.indexOf(lane);
    this.first = Math.floor(position / lanesAtOnce) * lanesAtOnce;
  }

  turn(by) {
    const last = Math.max(this.shownLanes().all.length - 1, 0);
    this.first = Math.min(Math.max(this.first + by, 0), Math.floor(last / lanesAtOnce) * lanesAtOnce);
    this.draw();
  }

  zoom(factor) {
    const inView = this.chosen !== null && this.chosen.at >= this.from && this.chosen.at <= this.to;
    const middle = inView ? this.chosen.at : (this.from + this.to) / 2;
    this.from = middle - (middle - this.from) * factor;
    this.to = middle + (this.to - middle) * factor;
    this.draw();
  }

  pan(share) {
    const by = (this.to - this.from) * share;
    [this.from, this.to] = [this.from + by, this.to + by];
    this.draw();
  }

  // ---- Choosing

  choose(mark, isMoved) {
    if (mark === null) return;
    this.chosen = mark;
    this.useLane(mark.lane);
    if (isMoved && (mark.at < this.from || mark.at > this.to)) {
      const half = (this.to - this.from) / 2;
      [this.from, this.to] = [mark.at - half, mark.at + half];
    }
    this.draw();
    document.getElementById("timeline-chosen").textContent = this.describe(mark);
  }

  describe(mark) {
    const lane = this.lanes[mark.lane];
    const isLine = data.timeline.clocks[lane.clock].unit === "line";
    const parts = [];
    if (lane.rank !== null) parts.push(`rank ${lane.rank}`);
    parts.push(lane.place === "" ? lane.name : `${lane.name} (${lane.place})`);
    let what = kindWords[mark.kind];
    if (mark.id !== "") what += ` ${mark.id}`;
    what += isLine ? ` at line ${mark.at}` : ` at ${secondsText(mark.at)}`;
    if (mark.took !== null) what += `, ${secondsText(mark.took)}`;
    const phases = [];
    if (mark.backend !== null) phases.push(`${secondsText(mark.backend)} in the backend`);
    if (mark.inductor !== null) phases.push(`${secondsText(mark.inductor)} of it in Inductor`);
    if (phases.length > 0) what += ` (${phases.join(", ")})`;
    parts.push(what);
    if (mark.cache !== "") parts.push(`cache ${mark.cache}`);
    if (mark.note !== "") parts.push(mark.note);
    if (mark.cause >= 0) parts.push(`cause: ${data.causes[mark.cause].message}`);
    return parts.join(" \u00b7 ");
  }

  onKey(event) {
    const keys = {
      "+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2),
      Home: () => this.showAll(),
      ArrowLeft: () => (event.shiftKey ? this.pan(-0.2) : this.step(-1)),
      ArrowRight: () => (event.shiftKey ? this.pan(0.2) : this.step(1)),
      ArrowUp: () => this.changeLane(-1),
      ArrowDown: () => this.changeLane(1),
    };
    if (!(event.key in keys) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    keys[event.key]();
  }

  // The mark before or after the chosen one, in its lane.
  step(by) {
    if (this.chosen === null) return this.choose(this.firstInView(), true);
    const marks = this.marksOf[this.chosen.lane];
    const next = marks[marks.indexOf(this.chosen) + by];
    if (next !== undefined) this.choose(next, true);
    return undefined;
  }

  firstInView() {
    const { shown } = this.shownLanes();
    for (const lane of shown) {
      const mark = this.marksOf[lane].find((one) => one.at + one.length >= this.from && one.at <= this.to);
      if (mark !== undefined) return mark;
    }
    return shown.length > 0 ? this.marksOf[shown[0]][0] : null;
  }

  // The mark of the next lane that is nearest in time.
  changeLane(by) {
    if (this.chosen === null) return this.choose(this.firstInView(), true);
    const { all } = this.shownLanes();
    const lane = all[all.indexOf(this.chosen.lane) + by];
    if (lane === undefined) return undefined;
    const distance = (mark) => Math.abs(mark.at - this.chosen.at);
    const nearest = this.marksOf[lane].reduce((best, mark) => (distance(mark) < distance(best) ? mark : best));
    return this.choose(nearest, true);
  }

  // The mark under or near the pointer; null if nothing is near.
  markAt(event) {
    const box = this.svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * this.width;
    const y = ((event.clientY - box.top) / box.height) * this.height;
    const lane = this.shownLanes().shown[Math.floor((y - axisHeight) / laneHeight)];
    if (lane === undefined || x < labelWidth) return null;
    let best = null;
    let least = 6;
    for (const mark of this.marksOf[lane]) {
      const left = this.x(mark.at);
      const right = this.x(mark.at + mark.length);
      const away = Math.max(left - x, x - right, 0);
      if (away < least || (away === 0 && least === 0)) [best, least] = [mark, away];
    }
    return best;
  }

  hint(event) {
    const mark = this.markAt(event);
    this.hinted.textContent = mark === null ? "" : this.describe(mark);
  }

  // ---- Drawing

  x(at) {
    return labelWidth + ((at - this.from) / (this.to - this.from)) * (this.width - labelWidth);
  }

  draw() {
    if (this.svg === undefined) return;
    const { all, shown } = this.shownLanes();
    this.width = Math.max(this.view.clientWidth, 640);
    this.height = axisHeight + shown.length * laneHeight + 4;
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    this.svg.setAttribute("height", this.height);
    const parts = [
      drawn("title", { id: "timeline-name" }, "Compilations, steps and stalls over time"),
      drawn("desc", { id: "timeline-keys" }, "Left and right: from one to the next. Up and down: " +
        "from lane to lane. Plus and minus: zoom. Home: all. The table below has the same."),
      ...this.axis(),
    ];
    const seen = new Set();
    shown.forEach((lane, row) => parts.push(...this.lane(lane, axisHeight + row * laneHeight, seen)));
    this.svg.replaceChildren(...parts);
    this.before.hidden = this.first === 0;
    this.after.hidden = this.first + lanesAtOnce >= all.length;
    this.where.textContent = all.length > shown.length
      ? `lanes ${this.first + 1} to ${this.first + shown.length} of ${all.length}` : "";
    this.legend.replaceChildren(...[...seen].map((kind) =>
      element("span", { class: `key ${kind}` }, kindWords[kind])));
  }

  axis() {
    const isLine = data.timeline.clocks[this.clock].unit === "line";
    const rough = (this.to - this.from) / Math.max(Math.floor((this.width - labelWidth) / 110), 1);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough) ?? rough;
    const digits = Math.min(Math.max(-Math.floor(Math.log10(step) + 1e-9), 0), 6);
    const parts = [];
    for (let at = Math.max(Math.ceil(this.from / step), 0) * step; at <= this.to; at += step) {
      const x = this.x(at).toFixed(1);
      const text = isLine ? `line ${Math.round(at)}` : `${at.toFixed(digits)} s`;
      parts.push(drawn("line", { class: "grid", x1: x, x2: x, y1: axisHeight - 6, y2: this.height }),
        drawn("text", { class: "small", x, y: 14, "text-anchor": "middle" }, text));
    }
    return parts;
  }

  // The marks of one lane, one path a kind: what falls on the same pixels is drawn once.
  lane(index, y, seen) {
    const lane = this.lanes[index];
    let name = lane.name === "" ? "not named" : lane.name;
    if (lane.rank !== null) name = `${lane.rank}: ${name}`;
    const whole = lane.place === "" ? name : `${name} (${lane.place})`;
    const parts = [
      drawn("line", { class: "grid", x1: labelWidth, x2: this.width, y1: y + laneHeight - 1, y2: y + laneHeight - 1 }),
      drawn("text", { class: "lane", x: 4, y: y + 15 },
        name.length > 30 ? `${name.slice(0, 14)}\u2026${name.slice(-14)}` : name,
        drawn("title", {}, whole)),
    ];
    const paths = new Map();
    for (const mark of this.marksOf[index]) {
      if (mark.at > this.to || mark.at + mark.length < this.from) continue;
      const left = Math.max(this.x(mark.at), labelWidth);
      const right = Math.max(Math.min(this.x(mark.at + mark.length), this.width), left + 1.5);
      seen.add(mark.kind);
      this.extend(paths, mark.kind, left, right);
      if (this.cause >= 0 && mark.cause === this.cause) this.extend(paths, "of-cause", left, right);
    }
    for (const [kind, spans] of paths) {
      const [top, height] = kind === "of-cause" ? [1, laneHeight - 3] : [4, laneHeight - 9];
      parts.push(drawn("path", { class: `mark ${kind}`,
        d: spans.map(([left, right]) => `M${left.toFixed(1)} ${y + top}H${right.toFixed(1)}v${height}H${left.toFixed(1)}z`).join("") }));
    }
    if (this.chosen !== null && this.chosen.lane === index) {
      const left = Math.max(this.x(this.chosen.at), labelWidth);
      const right = Math.min(this.x(this.chosen.at + this.chosen.length), this.width);
      if (right >= labelWidth && left <= this.width) {
        parts.push(drawn("rect", { class: "chosen", x: (left - 2).toFixed(1), y: y + 1,
          width: Math.max(right - left + 4, 6).toFixed(1), height: laneHeight - 3 }));
      }
    }
    return parts;
  }

  // Marks come in order of time, so that only the last span can touch the next.
  extend(paths, kind, left, right) {
    if (!paths.has(kind)) paths.set(kind, []);
    const spans = paths.get(kind);
    const last = spans[spans.length - 1];
    if (last !== undefined && left <= last[1] + 0.5) {
      last[1] = Math.max(last[1], right);
    } else {
      spans.push([left, right]);
    }
  }
}
