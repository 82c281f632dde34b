// One table: its cells, a row for each model, rows that open, and sorting.
const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];
const text = (cell) => cell.textContent.trim();

const number = (cell) => {
  // Of a mean and its deviation, the mean; of a score and its interval, the score.
  const first = [...cell.childNodes].filter((node) => node.nodeName !== "SMALL");
  const plain = first.map((node) => node.textContent).join("").split("±")[0].replace(/[^\d.eE∞–−+><-]/g, "").replace("−", "-");
  const found = /[-+]?(?:∞|\d[\d.]*(?:e-?\d+)?)/i.exec(plain);
  if (!found) return NaN;
  const value = found[0].includes("∞") ? (found[0][0] === "-" ? -Infinity : Infinity) : Number(found[0]);
  return plain.startsWith("<") ? value / 2 : plain.startsWith(">") ? value + 1e-9 : value;
};

// What stands in a row that opens; the rest of its columns is always seen.
const FOLDED = ["p", "clearing", "perfect", "remark"];

const table = (element) => {
  const heads = [...element.tHead.rows[element.tHead.rows.length - 1].cells];
  return {
    element,
    id: element.dataset.of || element.id,
    body: element.tBodies[0],
    heads,
    keys: heads.map((head) => (head.dataset.m === undefined ? "" : head.dataset.m + " ") + head.dataset.k),
    rows: [...element.tBodies[0].rows],
    own: [...element.tBodies[0].rows],
    left: Number(element.dataset.left),
    // How large a slice is, where there is no room for it beside its scores.
    sizes: element.classList.contains("split") ? heads.filter((head) => head.dataset.k === "size") : [],
    // Above the headings of a model's columns stands its name.
    over: all("th[scope=colgroup]", element),
    columns: all("colgroup[data-m]", element),
  };
};

// The same table with a row for each model.
const split = (one) => {
  if (!one.over.length) return one;
  const element = one.element.cloneNode(false);
  element.removeAttribute("id");
  element.dataset.of = one.id;
  element.dataset.left = one.left * one.over.length;
  element.className = "verdicts split two";
  const body = document.createElement("tbody");
  const head = document.createElement("tr");
  const named = one.heads.findIndex((each) => !["group", "measure"].includes(each.dataset.k));
  const line = (target, cells, owner, name) => {
    const kept = one.heads.flatMap((each, at) => ([undefined, owner].includes(each.dataset.m) ? [cells[at].cloneNode(true)] : []));
    const own = document.createElement("th");
    own.scope = target === head ? "col" : "row";
    own.append(...name.split(/(?<=_)/).flatMap((part) => [part, document.createElement("wbr")]));
    if (target === head) { own.dataset.k = "model"; own.className = "l"; }
    kept.splice(named, 0, own);
    target.append(...kept);
  };
  line(head, one.heads, one.over[0].dataset.m, "model");
  for (const each of head.cells) delete each.dataset.m;
  for (const row of one.own) {
    for (const over of one.over) {
      const own = document.createElement("tr");
      own.dataset.row = row.id;
      line(own, row.cells, over.dataset.m, text(over));
      body.append(own);
    }
  }
  element.append(one.element.caption.cloneNode(true), document.createElement("thead"), body);
  element.tHead.append(head);
  one.element.after(element);
  return table(element);
};

// What a reader has chosen to see, by the names of the filters.
const chosen = {};

const cell = (one, row, key) => row.cells[one.keys.indexOf(key)];

const sort = (one, at, direction) => {
  const head = one.heads[at];
  const words = ["group", "model", "measure", "remark"].includes(head.dataset.k);
  const keyed = one.rows.map((row) => [words ? text(row.cells[at]) : number(row.cells[at]), row]);
  const order = (a, b) => {
    if (words) return direction * a.localeCompare(b, undefined, { numeric: true });
    if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
    return a === b ? 0 : direction * (a < b ? -1 : 1);
  };
  keyed.sort((a, b) => order(a[0], b[0]));
  one.rows = keyed.map((pair) => pair[1]);
  one.body.replaceChildren(...one.rows);
};

const sortable = (one) => {
  one.heads.forEach((head, at) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text(head);
    const model = one.over.find((over) => over.dataset.m === head.dataset.m);
    if (model) button.setAttribute("aria-label", `${text(head)}, ${text(model)}`);
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const rising = head.getAttribute("aria-sort") !== "ascending";
      one.heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", rising ? "ascending" : "descending");
      one.sorted = [at, rising ? 1 : -1];
      one.rows.forEach(close);
      sort(one, ...one.sorted);
    });
  });
};

// A row that opens: its button is the name of its measure.
const openers = (one) => {
  const at = one.keys.indexOf("measure");
  for (const row of one.own) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "open";
    button.tabIndex = -1;
    button.setAttribute("aria-expanded", "false");
    button.append(...row.cells[at].childNodes);
    row.cells[at].append(button);
  }
};
const opener = (row) => row.querySelector("button.open");
const close = (row) => {
  if (row.nextElementSibling && row.nextElementSibling.className === "more") row.nextElementSibling.remove();
  opener(row).setAttribute("aria-expanded", "false");
};
const open = (one, row) => {
  const more = document.createElement("tr");
  more.className = "more";
  const inside = more.insertCell();
  inside.colSpan = [...row.cells].filter((each) => !each.hidden).length;
  const list = document.createElement("ul");
  const say = (words) => { list.append(Object.assign(document.createElement("li"), { textContent: words })); };
  const said = (key) => { const found = cell(one, row, key); return found && text(found) !== "–" ? text(found) : ""; };
  const owners = one.over.length ? one.over : [null];
  for (const over of owners) {
    const of = over ? `${over.dataset.m} ` : "";
    const small = cell(one, row, of + "score").querySelector("small");
    const parts = [
      small ? `interval ${small.textContent}` : "", said(of + "p") && `p ${said(of + "p")}`,
      said(of + "clearing") && `clears the bar in ${said(of + "clearing")} of its runs`,
    ].filter(Boolean);
    if (parts.length && !(over && chosen.model && over.dataset.m !== chosen.model)) say((over ? `${text(over)}: ` : "") + parts.join("; "));
  }
  if (one.sizes.length) say(one.sizes.map((head) => `${text(head)}: ${text(row.cells[head.cellIndex])}`).join(", "));
  if (said("perfect")) say(`perfect predictions score ${said("perfect")}`);
  if (said("remark")) say(said("remark"));
  const id = row.id || row.dataset.row;
  if (id) {
    const link = Object.assign(document.createElement("a"), { href: `#${id}`, textContent: "link to this row" });
    const last = document.createElement("li");
    last.append(link);
    list.append(last);
  }
  inside.append(list);
  row.after(more);
  opener(row).setAttribute("aria-expanded", "true");
};
const opens = (one) => {
  one.element.addEventListener("click", (event) => {
    const button = event.target.closest("button.open");
    if (!button) return;
    const row = button.closest("tr");
    if (button.getAttribute("aria-expanded") === "true") close(row); else open(one, row);
  });
  // One of the rows is reached with the tabulator, the others from there with the arrows.
  one.element.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || !event.target.matches("button.open")) return;
    event.preventDefault();
    const seen = one.rows.filter((row) => !row.hidden);
    const next = seen[seen.indexOf(event.target.closest("tr")) + step];
    if (!next) return;
    event.target.tabIndex = -1;
    opener(next).tabIndex = 0;
    opener(next).focus();
  });
};
