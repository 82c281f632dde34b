(() => {
  "use strict";

  // Without this script the page shows everything; with it, tables are sorted, filtered and searched.
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

  const table = (element) => {
    const heads = [...element.tHead.rows[element.tHead.rows.length - 1].cells];
    const body = element.tBodies[0];
    return {
      element,
      body,
      heads,
      keys: heads.map((head) => (head.dataset.m === undefined ? "" : head.dataset.m + " ") + head.dataset.k),
      rows: [...body.rows],
      // Above the headings of a model's columns stands its name.
      over: all("th[scope=colgroup]", element),
      columns: all("colgroup[data-m]", element),
    };
  };

  const tables = Object.fromEntries(all("table.verdicts").map((element) => [element.id, table(element)]));
  const { whole, sliced } = tables;
  const own = whole ? whole.rows : [];
  const chosen = {};
  const controls = all("[data-filter]");

  const cell = (one, row, key) => row.cells[one.keys.indexOf(key)];

  const sort = (one, at, direction) => {
    const head = one.heads[at];
    const words = ["slice", "model", "measure", "remark"].includes(head.dataset.k);
    const keyed = one.rows.map((row) => [words ? text(row.cells[at]) : number(row.cells[at]), row]);
    const order = (a, b) => {
      if (words) return direction * a.localeCompare(b, undefined, { numeric: true });
      if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
      return a === b ? 0 : direction * (a < b ? -1 : 1);
    };
    keyed.sort((a, b) => order(a[0], b[0]));
    one.rows = keyed.map((pair) => pair[1]);
    one.body.append(...one.rows);
  };

  const sortable = (one) => {
    one.heads.forEach((head, at) => {
      if (head.dataset.k === "remark") return;
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
        sort(one, ...one.sorted);
      });
    });
  };

  // The verdicts on one slice stand in the table of slices; they are shown where those on all samples stood.
  const onSlice = (slice) => {
    if (!slice) return own;
    return sliced.rows
      .filter((row) => text(cell(sliced, row, "slice")) === slice)
      .map((row) => {
        const copy = document.createElement("tr");
        const cells = whole.keys.map((key) => cell(sliced, row, key));
        copy.append(...cells.map((one) => (one ? one.cloneNode(true) : document.createElement("td"))));
        all("[hidden]", copy).forEach((one) => { one.hidden = false; });
        return copy;
      })
      .sort((a, b) => place(a) - place(b));
  };
  const place = (row) => own.findIndex((other) => text(cell(whole, other, "measure")) === text(cell(whole, row, "measure")));

  const fits = (one, row) => {
    const is = (key, wanted) => !one.keys.includes(key) || text(cell(one, row, key)) === wanted;
    const marked = (wanted) => [...row.cells].some((each) => !each.hidden && each.classList.contains(wanted));
    return (
      (!chosen.measure || is("measure", chosen.measure)) &&
      (!chosen.model || is("model", chosen.modelName)) &&
      (!chosen.standing || marked(chosen.standing)) &&
      (!chosen.search || one !== sliced ||
        text(cell(one, row, "slice")).toLocaleLowerCase().includes(chosen.search.toLocaleLowerCase()))
    );
  };

  const update = () => {
    controls.forEach((control) => { chosen[control.dataset.filter] = control.value.trim(); });
    const model = controls.find((control) => control.dataset.filter === "model");
    chosen.modelName = model ? model.selectedOptions[0].textContent.trim() : "";
    if (whole && sliced && chosen.slice !== whole.slice) {
      whole.slice = chosen.slice;
      whole.rows = onSlice(chosen.slice);
      whole.body.replaceChildren(...whole.rows);
      document.getElementById("place").textContent = chosen.slice || "all samples";
      if (whole.sorted) sort(whole, ...whole.sorted);
    }
    for (const [id, one] of Object.entries(tables)) {
      const away = one.heads.map((head) => Boolean(chosen.model) && head.dataset.m !== undefined && head.dataset.m !== chosen.model);
      one.heads.forEach((head, at) => { head.hidden = away[at]; });
      [...one.over, ...one.columns].forEach((head) => { head.hidden = Boolean(chosen.model) && head.dataset.m !== chosen.model; });
      let shown = 0;
      for (const row of one.rows) {
        away.forEach((gone, at) => { if (row.cells[at].hidden !== gone) row.cells[at].hidden = gone; });
        row.hidden = !fits(one, row);
        shown += !row.hidden;
      }
      const status = document.querySelector(`[data-count=${id}]`);
      if (status) status.textContent = `${shown.toLocaleString("en")} of ${one.rows.length.toLocaleString("en")} rows`;
    }
  };

  Object.values(tables).forEach(sortable);
  const slices = controls.find((control) => control.dataset.filter === "slice");
  if (slices) {
    const names = [...new Set(sliced.rows.map((row) => text(cell(sliced, row, "slice"))))];
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
        if (control.type === "search") control.value = "";
        else control.selectedIndex = 0;
      });
      update();
    });
  });
  update();
})();
