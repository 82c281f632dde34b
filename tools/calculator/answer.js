/* From a question to an answer: values first, sentences and elements from them. */

/** Answer a question: a bar and the standing of each model, or the doubt that stands in the way. */
function answer(question) {
  try {
    return ["scores", "pair"].includes(question.model) ? ofPaper(question) : answered(question);
  } catch (error) {
    if (error instanceof Doubt) return { doubt: error.message };
    throw error;
  }
}

function answered(question) {
  const models = modelsOf(question);
  const needed = models.some((model) => !model.cells);
  const stated = question.model === "cells" || (!needed && !(question.total || question.sizes)) ? null : sizesOf(question);
  const many = kindOf(question) === classMeasures;
  const given = parametersOf(question);
  const measure = many ? classMeasures[question.measure] : measureOf(question.measure, given);
  if (!measure.value && models.some((model) => model.cells)) throw new Doubt(`Four cells do not tell ${measure.label}; give its value as printed.`);
  const known = new Map();
  const barAt = (sizes) => {
    const key = sizes.join();
    if (!known.has(key)) known.set(key, many ? classBarOf(measure, sizes) : barOf(measure, sizes[0] + sizes[1], sizes[0]));
    return known.get(key);
  };
  const rows = corrected(models.map((model) => judged(model, measure, stated, barAt)));
  return { measure, name: question.measure, given, rows, many, stated };
}

function modelsOf(question) {
  if (question.model === "table") return readTable(question.table);
  if (question.model === "cells") return [{ name: "", cells: ["tp", "fp", "fn", "tn"].map((name) => question[name]) }];
  return [{ name: "", score: question.score ?? "" }];
}

function judged(model, measure, stated, barAt) {
  const row = model.line ? `Line ${model.line}: ` : "";
  if (!model.cells) {
    const bar = barAt(stated);
    if (!model.score.trim()) return { ...model, bar };
    const read = readScore(model.score, measure);
    if (read.error) throw new Doubt(row + read.error);
    return { ...model, sizes: stated, bar, ...read, written: model.score.trim(), ...judgePrinted(measure, bar, read) };
  }
  const names = ["TP", "FP", "FN", "TN"];
  const [tp, fp, fn, tn] = model.cells.map((text, at) => whole(text, row + names[at]));
  const total = tp + fp + fn + tn;
  if (!total) throw new Doubt(`${row}the four cells hold no sample.`);
  if (stated && (tp + fn !== stated[0] || fp + tn !== stated[1])) {
    throw new Doubt(`${row}these cells are ${number(total)} samples, ${number(tp + fn)} of them positive; the test set has ${number(stated[0] + stated[1])} and ${number(stated[0])}.`);
  }
  const value = measure.value(tp, fp, fn, tn);
  const bar = barAt([tp + fn, fp + tn]);
  const score = Number.isFinite(value) ? value : NaN;
  const cells = [tp, fp, fn, tn];
  const { skill, outcome } = standing(measure, bar, score);
  const surely = ["clears", "fails"].includes(outcome) ? howSurely(measure, cells, bar) : null;
  return { ...model, cells, sizes: [tp + fn, fp + tn], bar, value: score, written: number(score, total), skill, outcome, surely };
}

/** Correct p for all models of a table, by Holm's method; whose p is not known here may be the least. */
function corrected(rows) {
  if (rows.length < 2) return rows;
  const known = rows.filter((row) => row.surely);
  const most = (surely) => Math.max(surely.p, surely.blind);
  let least = 0;
  known.sort((one, other) => most(one.surely) - most(other.surely)).forEach((row, i) => {
    const times = known.length === rows.length ? rows.length - i : rows.length;
    least = Math.max(least, Math.min(1, times * most(row.surely)));
    row.surely = { ...row.surely, p: least, blind: least, sure: row.outcome === "clears" && least <= ALPHA };
  });
  return rows;
}

/** The colour of an answer: a score above its bar is settled only if it is sure. */
function settled({ outcome, surely }) {
  return outcome === "clears" && !surely?.sure ? "unsettled" : outcome;
}

/** Say what to type for p-values and intervals. */
function next({ measure, name, given, rows, many, stated }) {
  const written = Object.keys(given).length ? `${name}(${Object.entries(given).map(([key, value]) => `${key}=${value}`).join(", ")})` : name;
  const text = JSON.stringify(written);
  const known = rows.filter((row) => row.written);
  const lines = ["import clearbar as cb", ""];
  if (known.length && known.every((row) => row.cells)) {
    const counts = known.map((row) => `cb.Counts(tp=${row.cells[0]}, fp=${row.cells[1]}, fn=${row.cells[2]}, tn=${row.cells[3]})`);
    if (!known[0].name) lines.push(`print(cb.evaluate_counts(${counts[0]}, [${text}]))`);
    else lines.push("models = {", ...known.map((row, at) => `    ${JSON.stringify(row.name)}: ${counts[at]},`), "}", `print(cb.evaluate_counts(models, [${text}]))`);
    return lines.join("\n");
  }
  const sizes = stated.map((size, at) => `"${at + 1}": ${size}`).join(", ");
  const labels = many ? `cb.ClassSizes({${sizes}})` : `cb.Population(total=${stated[0] + stated[1]}, positives=${stated[0]})`;
  lines.push(`bar = cb.baseline(${labels}, ${text})`);
  const tries = known.length > 1 && !many ? `, tries=${known.length}` : "";
  for (const row of known) lines.push(`print(bar.judge(${JSON.stringify(row.written.endsWith("%") ? row.value.toFixed(row.places) : row.written)}${tries}))`);
  if (!known.length) lines.push("print(bar)");
  return lines.join("\n");
}
