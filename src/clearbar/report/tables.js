// One table: its cells, a row for each model, rows that open, and sorting.
const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];
const text = (node) => node.textContent.trim();
const element = (name, properties = {}) => Object.assign(document.createElement(name), properties);

const number = (cell) => {
  // Of a mean and its deviation, the mean; of a score and its interval, the score.
  const nodes = [...cell.childNodes].filter((node) => node.nodeName !== "SMALL");
  const plain = nodes.map((node) => node.textContent).join("").split("±")[0].replace(/[^\d.eE∞–−+><-]/g, "").replace("−", "-");
  const match = /[-+]?(?:∞|\d[\d.]*(?:e-?\d+)?)/i.exec(plain);
  if (!match) return NaN;
  const value = match[0].includes("∞") ? (match[0][0] === "-" ? -Infinity : Infinity) : Number(match[0]);
  return plain.startsWith("<") ? value / 2 : plain.startsWith(">") ? value + 1e-9 : value;
};

// Columns that stand in a row that opens; the others are always seen.
const FOLDED = ["p", "clearing", "perfect", "remark"];

const tableOf = (node) => {
  const heads = [...node.tHead.rows[node.tHead.rows.length - 1].cells];
  const rows = [...node.tBodies[0].rows];
  return {
    node,
    id: node.dataset.of || node.id,
    body: node.tBodies[0],
    heads,
    keys: heads.map((head) => (head.dataset.m === undefined ? "" : head.dataset.m + " ") + head.dataset.k),
    rows, // as they are sorted, of the slice that is shown
    allRows: rows,
    left: Number(node.dataset.left),
    // How large a slice is, where there is no room for it beside its scores.
    sizes: node.classList.contains("split") ? heads.filter((head) => head.dataset.k === "size") : [],
    // The names of models above their columns.
    models: all("th[scope=colgroup]", node),
    groups: all("colgroup[data-m]", node),
  };
};

// The same table with a row for each model.
const split = (table) => {
  if (!table.models.length) return table;
  const node = table.node.cloneNode(false);
  node.removeAttribute("id");
  node.dataset.of = table.id;
  node.dataset.left = table.left * table.models.length;
  node.className = "verdicts split two";
  const body = element("tbody");
  const header = element("tr");
  const place = table.heads.findIndex((head) => !["group", "measure"].includes(head.dataset.k));
  const fill = (row, cells, model, name) => {
    const kept = table.heads.flatMap((head, at) => ([undefined, model].includes(head.dataset.m) ? [cells[at].cloneNode(true)] : []));
    const label = element("th", { scope: row === header ? "col" : "row" });
    label.append(...name.split(/(?<=_)/).flatMap((part) => [part, element("wbr")]));
    if (row === header) { label.dataset.k = "model"; label.className = "l"; }
    kept.splice(place, 0, label);
    row.append(...kept);
  };
  fill(header, table.heads, table.models[0].dataset.m, "model");
  for (const head of header.cells) delete head.dataset.m;
  for (const row of table.allRows) {
    for (const model of table.models) {
      const line = element("tr");
      line.dataset.row = row.id;
      fill(line, row.cells, model.dataset.m, text(model));
      body.append(line);
    }
  }
  node.append(table.node.caption.cloneNode(true), element("thead"), body);
  node.tHead.append(header);
  table.node.after(node);
  return tableOf(node);
};

// What a reader has chosen to see, by the names of the filters.
const chosen = {};

const cellOf = (table, row, key) => row.cells[table.keys.indexOf(key)];
const idOf = (row) => row.id || row.dataset.row;

const sort = (table, at, direction) => {
  const words = ["group", "model", "measure", "remark"].includes(table.heads[at].dataset.k);
  const keyed = table.rows.map((row) => [words ? text(row.cells[at]) : number(row.cells[at]), row]);
  const order = (a, b) => {
    if (words) return direction * a.localeCompare(b, undefined, { numeric: true });
    if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
    return a === b ? 0 : direction * (a < b ? -1 : 1);
  };
  keyed.sort((a, b) => order(a[0], b[0]));
  table.rows = keyed.map((pair) => pair[1]);
  table.body.replaceChildren(...table.rows);
};

const makeSortable = (table) => {
  table.heads.forEach((head, at) => {
    const button = element("button", { type: "button", textContent: text(head) });
    const model = table.models.find((name) => name.dataset.m === head.dataset.m);
    if (model) button.setAttribute("aria-label", `${text(head)}, ${text(model)}`);
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const rising = head.getAttribute("aria-sort") !== "ascending";
      table.heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", rising ? "ascending" : "descending");
      table.sorted = [at, rising ? 1 : -1];
      table.rows.forEach(close);
      sort(table, ...table.sorted);
    });
  });
};

// A row that opens: its button is the name of its measure.
const makeOpeners = (table) => {
  for (const row of table.allRows) {
    const cell = cellOf(table, row, "measure");
    const button = element("button", { type: "button", className: "open", tabIndex: -1 });
    button.setAttribute("aria-expanded", "false");
    button.append(...cell.childNodes);
    cell.append(button);
  }
};
const opener = (row) => row.querySelector("button.open");
const isOpen = (row) => opener(row).getAttribute("aria-expanded") === "true";
const close = (row) => {
  if (row.nextElementSibling && row.nextElementSibling.className === "more") row.nextElementSibling.remove();
  opener(row).setAttribute("aria-expanded", "false");
};
const open = (table, row) => {
  const list = element("ul");
  const say = (words) => { list.append(element("li", { textContent: words })); };
  const written = (key) => { const cell = cellOf(table, row, key); return cell && text(cell) !== "–" ? text(cell) : ""; };
  for (const model of table.models.length ? table.models : [null]) {
    if (model && chosen.model && model.dataset.m !== chosen.model) continue;
    const prefix = model ? `${model.dataset.m} ` : "";
    const interval = cellOf(table, row, prefix + "score").querySelector("small");
    const parts = [
      interval ? `interval ${interval.textContent}` : "", written(prefix + "p") && `p ${written(prefix + "p")}`,
      written(prefix + "clearing") && `clears the bar in ${written(prefix + "clearing")} of its runs`,
    ].filter(Boolean);
    if (parts.length) say((model ? `${text(model)}: ` : "") + parts.join("; "));
  }
  if (table.sizes.length) say(table.sizes.map((head) => `${text(head)}: ${text(row.cells[head.cellIndex])}`).join(", "));
  if (written("perfect")) say(`perfect predictions score ${written("perfect")}`);
  if (written("remark")) say(written("remark"));
  if (idOf(row)) {
    const link = element("li");
    link.append(element("a", { href: `#${idOf(row)}`, textContent: "link to this row" }));
    list.append(link);
  }
  const more = element("tr", { className: "more" });
  const cell = more.insertCell();
  cell.colSpan = [...row.cells].filter((other) => !other.hidden).length;
  cell.append(list);
  row.after(more);
  opener(row).setAttribute("aria-expanded", "true");
};
const makeOpenable = (table) => {
  table.node.addEventListener("click", (event) => {
    const button = event.target.closest("button.open");
    if (!button) return;
    const row = button.closest("tr");
    if (isOpen(row)) close(row); else open(table, row);
  });
  // One of the rows is reached with the tabulator, the others from there with the arrows.
  table.node.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || !event.target.matches("button.open")) return;
    event.preventDefault();
    const seen = table.rows.filter((row) => !row.hidden);
    const next = seen[seen.indexOf(event.target.closest("tr")) + step];
    if (!next) return;
    event.target.tabIndex = -1;
    opener(next).tabIndex = 0;
    opener(next).focus();
  });
};
const makeReady = (table) => {
  makeOpeners(table);
  makeOpenable(table);
  makeSortable(table);
};
