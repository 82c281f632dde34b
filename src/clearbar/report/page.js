// Without this script the page shows everything; with it, tables are sorted, filtered and searched, rows open,
// and where models do not fit side by side each has rows of its own.
document.documentElement.classList.add("js");

const wide = Object.fromEntries(all("table.verdicts").map((node) => [node.id, tableOf(node)]));
let narrow = null; // the same tables with a row for each model, once they are needed
let tables = wide;
let { whole, sliced } = tables;
const controls = all("[data-filter]");
const control = (name) => controls.find((node) => node.dataset.filter === name);

// The verdicts on one slice stand in the table of slices; they are shown where those on all samples stood.
const rowsOnSlice = (slice) => {
  if (!slice) return whole.allRows;
  const source = whole === wide.whole ? wide.sliced : narrow.sliced;
  return source.allRows
    .filter((row) => text(cellOf(source, row, "group")) === slice)
    .map((row) => {
      const copy = element("tr");
      copy.dataset.row = idOf(row);
      const cells = whole.keys.map((key) => cellOf(source, row, key));
      copy.append(...cells.map((cell) => (cell ? cell.cloneNode(true) : element("td"))));
      all("[hidden]", copy).forEach((node) => { node.hidden = false; });
      opener(copy).setAttribute("aria-expanded", "false");
      return copy;
    })
    .sort((a, b) => placeInWhole(a) - placeInWhole(b));
};
const placeInWhole = (row) => whole.allRows.findIndex((other) =>
  ["measure", "model"].every((key) => !whole.keys.includes(key) || text(cellOf(whole, other, key)) === text(cellOf(whole, row, key))));

const fits = (table, row) => {
  const has = (key, value) => !table.keys.includes(key) || text(cellOf(table, row, key)) === value;
  const marked = (name) => [...row.cells].some((cell) => !cell.hidden && cell.classList.contains(name));
  return (
    (!chosen.measure || has("measure", chosen.measure)) &&
    (!chosen.model || has("model", chosen.modelName)) &&
    (!chosen.standing || marked(chosen.standing)) &&
    (!chosen.search || table !== sliced ||
      text(cellOf(table, row, "group")).toLocaleLowerCase().includes(chosen.search.toLocaleLowerCase()))
  );
};

let printing = false;
const readControls = () => {
  controls.forEach((node) => { chosen[node.dataset.filter] = node.type === "checkbox" ? node.checked : node.value.trim(); });
  chosen.modelName = control("model") ? control("model").selectedOptions[0].textContent.trim() : "";
};
const showSlice = () => {
  if (!whole || !sliced || (chosen.slice || "") === (whole.slice || "")) return;
  whole.slice = chosen.slice;
  whole.rows = rowsOnSlice(chosen.slice);
  whole.body.replaceChildren(...whole.rows);
  all(".place").forEach((name) => { name.textContent = control("slice").selectedOptions[0].textContent; });
  if (whole.sorted) sort(whole, ...whole.sorted);
};
const hideColumns = (table) => {
  const hidden = table.heads.map((head) =>
    (Boolean(chosen.model) && head.dataset.m !== undefined && head.dataset.m !== chosen.model) ||
    (!chosen.every && !printing && (FOLDED.includes(head.dataset.k) || table.sizes.includes(head))) ||
    (printing && table.models.length && head.dataset.k === "remark")); // of several models paper is too narrow for it
  table.node.classList.toggle("every", chosen.every);
  table.heads.forEach((head, at) => { head.hidden = hidden[at]; });
  for (const head of [...table.models, ...table.groups]) {
    const span = table.heads.filter((other) => other.dataset.m === head.dataset.m && !other.hidden).length;
    head.hidden = !span;
    if (span) head[head.tagName === "TH" ? "colSpan" : "span"] = span;
  }
  for (const row of table.rows) {
    hidden.forEach((away, at) => { if (row.cells[at].hidden !== away) row.cells[at].hidden = away; });
  }
};
const hideRows = (table) => {
  table.rows.forEach((row) => { row.hidden = !fits(table, row); opener(row).tabIndex = -1; });
  const shown = table.rows.filter((row) => !row.hidden);
  if (shown.length) opener(shown[0]).tabIndex = 0;
  const status = document.querySelector(`[data-count=${table.id}]`);
  const left = table.left ? ` on this page; ${table.left.toLocaleString("en")} more are not sorted or searched` : "";
  if (status) status.textContent = `${shown.length.toLocaleString("en")} of ${table.rows.length.toLocaleString("en")} rows${left}`;
};
const update = () => {
  readControls();
  for (const table of Object.values(tables)) table.rows.forEach(close);
  showSlice();
  for (const table of Object.values(tables)) {
    hideColumns(table);
    hideRows(table);
    // The second of the columns that stay begins where the first one ends.
    table.node.style.setProperty("--first", `${table.heads[0].offsetWidth}px`);
  }
  stops();
};

// A frame is a stop of the tabulator where something in it is hidden; elsewhere one would stop for nothing.
const stops = () => all(".scroll[role]").forEach((frame) => {
  const overflows = frame.scrollWidth > frame.clientWidth || frame.scrollHeight > frame.clientHeight;
  if (overflows) frame.tabIndex = 0; else frame.removeAttribute("tabindex");
});

const use = (selected) => {
  tables = selected;
  ({ whole, sliced } = tables);
  for (const table of [...Object.values(wide), ...Object.values(narrow || {})]) {
    table.node.hidden = tables[table.id] !== table;
  }
  update();
};
const isTorn = (table) => table.node.offsetWidth > table.node.parentElement.clientWidth;
const fit = () => {
  use(wide);
  const torn = Object.values(wide).filter((table) => table.models.length && isTorn(table));
  if (!torn.length) return;
  if (!narrow) {
    narrow = Object.fromEntries(Object.entries(wide).map(([id, table]) => [id, split(table)]));
    Object.values(narrow).forEach((table) => { if (!Object.values(wide).includes(table)) renew(table); });
  }
  use({ ...wide, ...Object.fromEntries(torn.map((table) => [table.id, narrow[table.id]])) });
};
// What was split has copies of buttons, which do nothing.
const renew = (table) => {
  table.heads.forEach((head) => head.replaceChildren(text(head)));
  table.allRows.forEach((row) => cellOf(table, row, "measure").replaceChildren(...opener(row).childNodes));
  makeReady(table);
};

const follow = () => {
  const id = decodeURIComponent(location.hash.slice(1));
  const heading = document.getElementById(id);
  const folded = heading && heading.parentElement.querySelector(":scope > details");
  if (folded) folded.open = true;
  all("tr.target").forEach((row) => row.classList.remove("target"));
  for (const table of Object.values(tables)) {
    const row = table.allRows.find((other) => id && idOf(other) === id);
    if (!row || !row.isConnected) continue;
    row.hidden = false;
    row.classList.add("target");
    if (!isOpen(row)) open(table, row);
    row.scrollIntoView({ block: "center" });
  }
};

Object.values(tables).forEach(makeReady);
if (control("slice")) {
  const names = [...new Set(sliced.rows.map((row) => text(cellOf(sliced, row, "group"))))];
  names.sort((a, b) => a.localeCompare(b, undefined, { numeric: true }));
  control("slice").append(...names.map((name) => new Option(name, name)));
}
all("details").forEach((node) => node.addEventListener("toggle", stops));
all("form.tools").forEach((form) => {
  form.hidden = false;
  form.addEventListener("input", update);
  form.addEventListener("change", update);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    controls.forEach((node) => {
      if (node.type === "checkbox") node.checked = node.defaultChecked;
      else if (node.type === "search") node.value = "";
      else node.selectedIndex = 0;
    });
    update();
  });
});
const every = control("every");
if (every && !control("model")) {
  // One model has room for all that is known of it.
  every.checked = every.defaultChecked = true;
  use(wide);
  every.checked = every.defaultChecked = !Object.values(wide).some(isTorn);
}
fit();
follow();
let width = innerWidth;
addEventListener("resize", () => { if (innerWidth !== width) { width = innerWidth; if (!printing) fit(); } });
addEventListener("hashchange", follow);
addEventListener("beforeprint", () => { printing = true; use(wide); });
addEventListener("afterprint", () => { printing = false; fit(); });
