/* The fields, and what is shown. */

function element(tag, text = "", facts = {}) {
  const made = document.createElement(tag);
  made.textContent = text;
  for (const [name, value] of Object.entries(facts)) made.setAttribute(name, value);
  return made;
}

function start(root) {
  const form = root.querySelector("form");
  const part = (name) => root.querySelector(`.cb-${name}`);
  let listed = null;

  function listMeasures(question) {
    const known = kindOf(question);
    const select = form.elements.measure;
    if (listed !== known) {
      select.replaceChildren();
      const groups = grouped(Object.entries(known));
      for (const [name, entries] of groups) {
        const group = element("optgroup", "", { label: name });
        for (const [key, one] of entries) group.append(element("option", one.title + (one.names ? ` (${one.names})` : ""), { value: key }));
        select.append(group);
      }
      listed = known;
    }
    select.value = Object.hasOwn(known, question.measure) ? question.measure : known === ofTwo ? "f1" : "accuracy";
    question.measure = select.value;
    showMeasure(known[question.measure], question);
  }

  function showMeasure(measure, question) {
    const fields = Object.entries(measure.parameters || {}).map(([name, { value }]) => {
      const label = element("label", name);
      const input = element("input", "", { inputmode: "decimal", size: "6", "data-with": name });
      input.value = question.given?.[name] ?? value;
      label.append(input);
      return label;
    });
    const now = [...part("parameters").querySelectorAll("input")].map((one) => one.dataset.with).join();
    if (now !== Object.keys(measure.parameters || {}).join() || question.fresh) part("parameters").replaceChildren(...fields);
    const about = part("about");
    about.replaceChildren(element("p", measure.question));
    const formula = element("p");
    formula.innerHTML = measure.math; // written by the package when the page was built
    if (measure.math) about.append(formula);
    if (measure.caution) about.append(element("p", measure.caution));
  }

  function read() {
    const question = Object.fromEntries(FIELDS.map((name) => [name, form.elements[name].value]));
    question.given = Object.fromEntries([...part("parameters").querySelectorAll("input")].map((one) => [one.dataset.with, one.value]));
    return question;
  }

  function fill(question) {
    for (const name of FIELDS) if (name !== "measure") form.elements[name].value = question[name] ?? (name === "labels" ? "positives" : name === "model" ? "score" : "");
    listMeasures({ ...question, fresh: true });
  }

  function update() {
    const question = read();
    for (const label of form.querySelectorAll("[data-for]")) {
      const own = label.dataset.for;
      label.hidden = own !== question.labels && own !== question.model || (question.model === "cells" && ["positives", "sizes"].includes(own));
    }
    form.querySelector("fieldset").hidden = question.model === "cells";
    listMeasures(question);
    show(answer(read()));
    return toFragment(read());
  }

  function show(found) {
    const box = part("answer");
    delete box.dataset.outcome;
    part("next").replaceChildren();
    if (found.doubt) {
      part("curve").hidden = true;
      return box.replaceChildren(element("p", found.doubt));
    }
    if (found.paper) {
      part("curve").hidden = true;
      part("next").append(element("p", "The same in Python, which says more:"), element("pre", `import clearbar as cb\n\n${found.typed}`, { tabindex: "0", "aria-label": "What to type" }));
      addLink();
      return box.replaceChildren(element("p", found.paper, { class: "cb-verdict" }));
    }
    showCurve(found);
    const [first] = found.rows;
    if (found.rows.length === 1 && !first.name) {
      box.replaceChildren(...single(found, first));
      if (first.outcome) box.dataset.outcome = settled(first);
      if (first.cells && isTested(found.measure, first.cells)) addInterval(box, found.measure, first.cells);
    } else box.replaceChildren(...several(found));
    if (found.rows.some(({ bar }) => bar.beyond || !Number.isNaN(bar.value))) {
      const tested = found.rows.every((row) => row.surely || !["clears", "fails"].includes(row.outcome));
      const surely = element("p", tested ? "The same in Python (" : "The package says how surely (");
      surely.append(element("code", "pip install '.[all]'"), " in a checkout):");
      part("next").append(surely, element("pre", next(found), { tabindex: "0", "aria-label": "What to type" }));
    }
    addLink();
    return box;
  }

  function addLink() {
    const line = element("p");
    line.append(element("a", "A link that holds this question", { href: `#${toFragment(read())}` }));
    part("next").append(line);
  }

  /** The interval takes up to some seconds: it is added when it is there, unless the question has changed. */
  function addInterval(box, measure, cells) {
    const line = element("p", "95 % interval …");
    box.append(line);
    setTimeout(() => {
      if (!line.isConnected) return;
      const [low, high] = intervalOf(measure, cells).map((end) => number(end, cells.reduce((a, b) => a + b)));
      line.textContent = `95 % interval of the true score: ${low} to ${high}.`;
    }, 300);
  }

  /** Draw the bar over the prevalence, and let it be moved. */
  function showCurve(found) {
    const [row] = found.rows;
    const figure = part("curve");
    const drawn = found.many || !found.stated || Number.isNaN(row.bar.value) || !found.measure.value ? null : courseOf(found.measure, row.bar.total);
    figure.hidden = !drawn;
    if (!drawn) return;
    const [positives] = found.stated;
    figure.querySelector("svg").replaceWith(course(drawn, positives / row.bar.total, row.bar.value));
    const slider = figure.querySelector("input");
    slider.max = row.bar.total;
    slider.value = positives;
    figure.querySelector("output").textContent = `${((100 * positives) / row.bar.total).toFixed(1)} %: bar ${number(row.bar.value, row.bar.total)}`;
  }

  root.querySelector(".cb-curve input").addEventListener("input", (event) => {
    form.elements.positives.value = event.target.value;
    event.stopPropagation();
    history.replaceState(null, "", `#${update()}`);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => {
    const fragment = update();
    history.replaceState(null, "", `#${fragment}`);
  });
  addEventListener("hashchange", () => {
    const question = fromFragment(location.hash);
    if (question) { fill(question); update(); }
  });
  fill(fromFragment(location.hash) || FIRST);
  update();
}

function grouped(entries) {
  const groups = new Map();
  for (const entry of entries) groups.set(entry[1].group, [...(groups.get(entry[1].group) || []), entry]);
  return groups;
}

function noBar(found, bar) {
  const { measure } = found;
  if (bar.beyond) return `Above ${number(mostScanned(measure))} samples the bar of ${measure.label} is too long a sum for this page; the package has it.`;
  if (measure.greater === null) return `Neither end of ${measure.label} is better, so nothing can clear it.`;
  if (bar.reason) return `${capital(measure.label)} has no bar: ${bar.reason}.`;
  return `${capital(measure.label)} has no bar: at every number of predicted positives some outcome has no value.`;
}

function single(found, row) {
  const { measure } = found;
  const { bar } = row;
  if (Number.isNaN(bar.value)) {
    const own = row.cells && row.written !== "–" ? `${capital(measure.label)} is ${row.written}. ` : "";
    return [element("p", own + noBar(found, bar), { class: "cb-verdict" })];
  }
  if (!row.outcome) return [element("p", `${capital(measure.label)} bar ${number(bar.value, bar.total)}: ${attained(bar)}.`, { class: "cb-verdict" })];
  const line = element("p", verdict(capital(measure.label), row.written, bar, row), { class: "cb-verdict" });
  const skill = element("p", Number.isNaN(row.skill) ? "" : `Skill ${signed(row.skill)}: 0 is the bar, 1 perfect, −1 the worst blind prediction.`);
  return [line, scale(measure, row), skill].filter(Boolean);
}

/** Draw where score and bar lie between the worst and the best; the sentence says it too. */
function scale(measure, row) {
  const { value, bar } = row;
  const ends = [Math.min(bar.worst, bar.value, value), bar.perfect];
  if (![...ends, value].every(Number.isFinite) || ends[0] === ends[1]) return null;
  const x = (one) => (20 + (360 * (one - ends[0])) / (ends[1] - ends[0])).toFixed(1);
  const middle = (one) => (x(one) > 330 ? "end" : x(one) < 60 ? "start" : "middle");
  const state = settled(row);
  const below = state === "fails" || state === "ties";
  const mark = below ? `<path d="M${x(value)} 27m-5.5-5.5l11 11m0-11l-11 11"/>` : `<circle cx="${x(value)}" cy="27" r="5.5"/>`;
  const box = element("div");
  box.innerHTML = `<svg class="cb-scale" viewBox="0 0 400 54" preserveAspectRatio="xMinYMid" aria-hidden="true">
    <line x1="20" x2="380" y1="27" y2="27"/><line class="cb-mark" x1="${x(bar.value)}" x2="${x(bar.value)}" y1="17" y2="37"/>
    <g class="${state}">${mark}</g>
    <text x="${x(bar.value)}" y="50" text-anchor="${middle(bar.value)}">bar</text>
    <text x="${x(value)}" y="12" text-anchor="${middle(value)}">score</text></svg>`;
  return box;
}

/** The bar of a measure at some forty prevalences; null where each takes long. */
function courseOf(measure, total) {
  const samples = measure.shape ? total : Math.min(total, 200);
  const shares = Array.from({ length: 41 }, (_, i) => Math.min(Math.max(Math.round((samples * i) / 40), 1), samples - 1) / samples);
  const points = [...new Set(shares)].map((share) => [share, barOf(measure, samples, Math.round(share * samples)).value]);
  const known = points.filter(([, value]) => Number.isFinite(value));
  return samples > 2 && known.length > 1 ? known : null;
}

/** Draw a course with a dot where the test set is. */
function course(points, share, value) {
  const values = [...points.map(([, bar]) => bar), value, 0];
  const [low, high] = [Math.min(...values), Math.max(...values, values.every((one) => one >= 0 && one <= 1) ? 1 : -Infinity)];
  const x = (one) => (40 + 340 * one).toFixed(1);
  const y = (one) => (high === low ? 55 : 100 - (90 * (one - low)) / (high - low)).toFixed(1);
  const box = element("div");
  box.innerHTML = `<svg class="cb-course" viewBox="0 0 400 122" role="img" aria-label="The bar over the share of positive samples">
    <line x1="40" x2="380" y1="100" y2="100"/><text x="34" y="104" text-anchor="end">${number(low, 100)}</text><text x="34" y="16" text-anchor="end">${number(high, 100)}</text>
    <text x="40" y="118" text-anchor="middle">0 %</text><text x="380" y="118" text-anchor="middle">100 %</text>
    <polyline points="${points.map(([one, bar]) => `${x(one)},${y(bar)}`).join(" ")}"/><circle cx="${x(share)}" cy="${y(value)}" r="6"/></svg>`;
  return box.firstChild;
}

function several(found) {
  const table = element("table");
  const head = element("tr");
  for (const name of ["model", found.measure.label, "the score is", "bar", "skill", "p"]) head.append(element("th", name, { scope: "col" }));
  const thead = element("thead");
  thead.append(head);
  const body = element("tbody");
  for (const row of found.rows) {
    const line = element("tr");
    const { bar } = row;
    const stands = Number.isNaN(bar.value) ? "without a bar" : row.between ? "too close to tell" : row.surely && settled(row) === "clears" ? "surely above" : STANDS[row.outcome];
    line.append(element("th", row.name, { scope: "row" }), element("td", row.written), element("td", stands, { class: settled(row) }));
    line.append(element("td", number(bar.value, bar.total)), element("td", signed(row.skill)), element("td", row.surely ? pText(Math.max(row.surely.p, row.surely.blind)).replace(/^p (= )?/, "") : "–"));
    body.append(line);
  }
  table.append(thead, body);
  const scroll = element("div", "", { class: "cb-scroll", tabindex: "0", role: "group", "aria-label": "The models" });
  scroll.append(table);
  const bars = new Map(found.rows.map(({ bar }) => [bar.total + ":" + bar.value, bar]));
  const told = [...bars.values()].slice(0, 3).map((bar) => element("p", Number.isNaN(bar.value) ? noBar(found, bar) : `${capital(found.measure.label)} bar ${number(bar.value, bar.total)}: ${attained(bar)}.`));
  return [scroll, ...told];
}
