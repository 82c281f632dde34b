(() => {
  "use strict";

  // Without this script the page shows everything; with it, tables are sorted, filtered and searched, rows open,
  // and where models do not fit side by side each has rows of its own.
  document.documentElement.classList.add("js");
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

  const wide = Object.fromEntries(all("table.verdicts").map((element) => [element.id, table(element)]));
  let narrow = null;
  let tables = wide;
  let { whole, sliced } = tables;
  const chosen = {};
  const controls = all("[data-filter]");
  const slices = controls.find((control) => control.dataset.filter === "slice");

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
})();
