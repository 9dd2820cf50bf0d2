// Tables: columns that sort, rows that are filtered and shown some hundred at a time.

// Orders numbers, then texts, then missing values, in either direction.
function compare(a, b, direction) {
  const unreported = (value) => value === null || value === "";
  if (unreported(a) || unreported(b)) return Number(unreported(a)) - Number(unreported(b));
  if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
  return (a < b ? -1 : a > b ? 1 : 0) * direction;
}

// Puts a button into each head of a column; `sort(column, direction)` does the work.
function makeSortable(heads, sort) {
  const state = { column: -1, direction: 1 };
  heads.forEach((head, column) => {
    const title = head.textContent;
    const click = () => {
      state.direction = state.column === column ? -state.direction : 1;
      state.column = column;
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", state.direction > 0 ? "ascending" : "descending");
      sort(column, state.direction);
    };
    head.replaceChildren(button(title, click, { class: "sort" }));
  });
}

const unitSeconds = { us: 1e-6, ms: 1e-3, s: 1, min: 60 };

// The number in a cell, without its unit; else its text; null if the cell is empty.
function valueOfText(text) {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed === "unknown") return null;
  const reported = trimmed.match(/^(-?[\d.]+) ?(us|ms|s|min|%)?(?: (\d+) s)?$/);
  if (!reported) return trimmed.toLowerCase();
  return Number(reported[1]) * (unitSeconds[reported[2]] ?? 1) + Number(reported[3] ?? 0);
}

for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  makeSortable([...table.tHead.rows[0].cells], (column, direction) => {
    const value = (row) => valueOfText(row.cells[column] ? row.cells[column].textContent : "");
    const rows = [...body.rows].map((row) => [value(row), row]);
    rows.sort((a, b) => compare(a[0], b[0], direction));
    body.append(...rows.map((row) => row[1]));
  });
}

// A table whose rows are made of `items`: filtered, sorted, some hundred at a time.
//   columns  [{title, value(item), cell(item), number}]: what to sort by, and the content
//   detail   (item) => element, opened below a row; or nothing
class DataTable {
  constructor({ table, columns, items, noun, status, detail }) {
    Object.assign(this, { table, columns, items, noun, status, detail });
    this.order = items.map((_, index) => index);
    this.filter = () => true;
    this.shown = data.rows_at_once;
    this.more = button("", () => {
      this.shown += data.rows_at_once;
      this.render();
    }, { class: "more" });
    table.after(this.more);
    const heads = columns.map((column) =>
      element("th", { scope: "col", class: column.number ? "number" : null }, column.title));
    table.tHead.replaceChildren(element("tr", {}, ...heads));
    makeSortable(heads, (column, direction) => this.sort(column, direction));
    this.render();
  }

  sort(column, direction) {
    const { value } = this.columns[column];
    const values = this.items.map(value);
    this.order.sort((a, b) => compare(values[a], values[b], direction) || a - b);
    this.render();
  }

  show(filter) {
    this.filter = filter;
    this.shown = data.rows_at_once;
    this.render();
  }

  render() {
    const fitting = this.order.filter((index) => this.filter(this.items[index]));
    const rows = fitting.slice(0, this.shown).map((index) => this.row(this.items[index]));
    this.table.tBodies[0].replaceChildren(...rows);
    const rest = fitting.length - rows.length;
    this.more.hidden = rest <= 0;
    this.more.textContent = `Show ${Math.min(rest, data.rows_at_once)} more of ${rest}`;
    const all = this.items.length;
    this.status.textContent = fitting.length === all
      ? counted(all, this.noun) : `${fitting.length} of ${counted(all, this.noun)}`;
  }

  row(item) {
    const row = element("tr");
    for (const column of this.columns) {
      const content = column.cell(item, row);
      row.append(element("td", { class: column.number ? "number" : null }, ...[content].flat()));
    }
    return row;
  }
}

// A select of the distinct `values`, in their order; its value is "" for all.
function choice(label, values, change) {
  const select = element("select", { change }, element("option", { value: "" }, "all"));
  for (const value of values) select.append(element("option", { value }, value));
  return [element("label", {}, `${label} `, select), select];
}
const distinct = (values) => [...new Set(values)].filter((value) => value !== "").sort();
const byNumber = (values) => [...new Set(values)].sort((a, b) => a - b).map(String);

function searchField(change) {
  const input = element("input", { type: "search", input: change, autocomplete: "off" });
  return [element("label", {}, "Text ", input), input];
}
