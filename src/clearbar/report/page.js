// Without this script the page shows everything; with it, tables are sorted, filtered and searched, rows open,
// and where models do not fit side by side each has rows of its own.
document.documentElement.classList.add("js");

const wide = Object.fromEntries(all("table.verdicts").map((element) => [element.id, table(element)]));
let narrow = null;
let tables = wide;
let { whole, sliced } = tables;
const controls = all("[data-filter]");
const slices = controls.find((control) => control.dataset.filter === "slice");

// The verdicts on one slice stand in the table of slices; they are shown where those on all samples stood.
const onSlice = (slice) => {
  if (!slice) return whole.own;
  const like = whole === wide.whole ? wide.sliced : narrow.sliced;
  return like.own
    .filter((row) => text(cell(like, row, "group")) === slice)
    .map((row) => {
      const copy = document.createElement("tr");
      copy.dataset.row = row.id || row.dataset.row;
      const cells = whole.keys.map((key) => cell(like, row, key));
      copy.append(...cells.map((one) => (one ? one.cloneNode(true) : document.createElement("td"))));
      all("[hidden]", copy).forEach((one) => { one.hidden = false; });
      opener(copy).setAttribute("aria-expanded", "false");
      return copy;
    })
    .sort((a, b) => place(a) - place(b));
};
const place = (row) => whole.own.findIndex((other) =>
  ["measure", "model"].every((key) => !whole.keys.includes(key) || text(cell(whole, other, key)) === text(cell(whole, row, key))));

const fits = (one, row) => {
  const is = (key, wanted) => !one.keys.includes(key) || text(cell(one, row, key)) === wanted;
  const marked = (wanted) => [...row.cells].some((each) => !each.hidden && each.classList.contains(wanted));
  return (
    (!chosen.measure || is("measure", chosen.measure)) &&
    (!chosen.model || is("model", chosen.modelName)) &&
    (!chosen.standing || marked(chosen.standing)) &&
    (!chosen.search || one !== sliced ||
      text(cell(one, row, "group")).toLocaleLowerCase().includes(chosen.search.toLocaleLowerCase()))
  );
};

let printing = false;
const update = () => {
  controls.forEach((control) => {
    chosen[control.dataset.filter] = control.type === "checkbox" ? control.checked : control.value.trim();
  });
  const model = controls.find((control) => control.dataset.filter === "model");
  chosen.modelName = model ? model.selectedOptions[0].textContent.trim() : "";
  for (const one of Object.values(tables)) one.rows.forEach(close);
  if (whole && sliced && (chosen.slice || "") !== (whole.slice || "")) {
    whole.slice = chosen.slice;
    whole.rows = onSlice(chosen.slice);
    whole.body.replaceChildren(...whole.rows);
    all(".place").forEach((name) => { name.textContent = slices.selectedOptions[0].textContent; });
    if (whole.sorted) sort(whole, ...whole.sorted);
  }
  for (const [id, one] of Object.entries(tables)) {
    const away = one.heads.map((head) =>
      (Boolean(chosen.model) && head.dataset.m !== undefined && head.dataset.m !== chosen.model) ||
      (!chosen.every && !printing && (FOLDED.includes(head.dataset.k) || one.sizes.includes(head))));
    one.element.classList.toggle("every", chosen.every);
    one.heads.forEach((head, at) => { head.hidden = away[at]; });
    for (const head of [...one.over, ...one.columns]) {
      const span = one.heads.filter((each) => each.dataset.m === head.dataset.m && !each.hidden).length;
      head.hidden = !span;
      if (span) head[head.tagName === "TH" ? "colSpan" : "span"] = span;
    }
    let shown = 0;
    let reached = false;
    for (const row of one.rows) {
      away.forEach((gone, at) => { if (row.cells[at].hidden !== gone) row.cells[at].hidden = gone; });
      row.hidden = !fits(one, row);
      shown += !row.hidden;
      opener(row).tabIndex = row.hidden || reached ? -1 : 0;
      reached = reached || !row.hidden;
    }
    // The second of the columns that stay begins where the first one ends.
    one.element.style.setProperty("--first", `${one.heads[0].offsetWidth}px`);
    const status = document.querySelector(`[data-count=${id}]`);
    const left = one.left ? ` on this page; ${one.left.toLocaleString("en")} more are not sorted or searched` : "";
    if (status) status.textContent = `${shown.toLocaleString("en")} of ${one.rows.length.toLocaleString("en")} rows${left}`;
  }
};

const ready = (one) => {
  openers(one);
  opens(one);
  sortable(one);
};
const use = (some) => {
  tables = some;
  ({ whole, sliced } = tables);
  for (const each of [wide, narrow || {}]) {
    for (const one of Object.values(each)) one.element.hidden = tables[one.id] !== one;
  }
  update();
};
const torn = (one) => one.element.offsetWidth > one.element.parentElement.clientWidth;
const fit = () => {
  use(wide);
  const long = Object.values(wide).filter((one) => one.over.length && torn(one));
  if (!long.length) return;
  if (!narrow) {
    narrow = Object.fromEntries(Object.entries(wide).map(([id, one]) => [id, split(one)]));
    Object.values(narrow).forEach((one) => { if (!Object.values(wide).includes(one)) own(one); });
  }
  use({ ...wide, ...Object.fromEntries(long.map((one) => [one.id, narrow[one.id]])) });
};
// What was split is ready to be used but for what its buttons and headings do.
const own = (one) => {
  one.heads.forEach((head) => head.replaceChildren(text(head)));
  for (const row of one.own) {
    const at = row.cells[one.keys.indexOf("measure")];
    at.replaceChildren(...opener(row).childNodes);
  }
  ready(one);
};

const follow = () => {
  const id = decodeURIComponent(location.hash.slice(1));
  const heading = document.getElementById(id);
  const folded = heading && heading.parentElement.querySelector(":scope > details");
  if (folded) folded.open = true;
  all("tr.target").forEach((row) => row.classList.remove("target"));
  for (const one of Object.values(tables)) {
    const row = one.own.find((each) => id && (each.id === id || each.dataset.row === id));
    if (!row || !row.isConnected) continue;
    row.hidden = false;
    row.classList.add("target");
    if (opener(row).getAttribute("aria-expanded") !== "true") open(one, row);
    row.scrollIntoView({ block: "center" });
  }
};

Object.values(tables).forEach(ready);
if (slices) {
  const names = [...new Set(sliced.rows.map((row) => text(cell(sliced, row, "group"))))];
  names.sort((a, b) => a.localeCompare(b, undefined, { numeric: true }));
  slices.append(...names.map((name) => new Option(name, name)));
}
all("form.tools").forEach((form) => {
  form.hidden = false;
  form.addEventListener("input", update);
  form.addEventListener("change", update);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    controls.forEach((control) => {
      if (control.type === "checkbox") control.checked = control.defaultChecked;
      else if (control.type === "search") control.value = "";
      else control.selectedIndex = 0;
    });
    update();
  });
});
const every = controls.find((control) => control.dataset.filter === "every");
if (every && !document.querySelector("[data-filter=model]")) {
  // One model has room for all that is known of it.
  every.checked = every.defaultChecked = true;
  use(wide);
  every.checked = every.defaultChecked = !Object.values(wide).some(torn);
}
fit();
follow();
let width = innerWidth;
addEventListener("resize", () => { if (innerWidth !== width) { width = innerWidth; if (!printing) fit(); } });
addEventListener("hashchange", follow);
addEventListener("beforeprint", () => { printing = true; use(wide); });
addEventListener("afterprint", () => { printing = false; fit(); });
