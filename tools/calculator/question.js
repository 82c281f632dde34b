/* A question: what the fields say, as a plain object; the address of the page holds it. */

const FIELDS = ["labels", "total", "positives", "sizes", "measure", "model", "score", "tp", "fp", "fn", "tn", "table", "scores", "first", "second"];
const FIRST = { labels: "positives", total: "31", positives: "18", measure: "f1", model: "score", score: "0.72" };

/** Return the part of an address that holds a question: only the fields that it is about. */
function toFragment(question) {
  const about = { positives: ["total", "positives"], sizes: ["sizes"], score: ["score"], cells: ["tp", "fp", "fn", "tn"], table: ["table"], scores: ["scores"], pair: ["first", "second"] };
  const cells = question.model === "cells";
  const used = [...(cells ? [] : about[question.labels]), "measure", ...about[question.model]];
  const pairs = used.filter((name) => question[name]).map((name) => [name, question[name]]);
  const given = Object.entries(question.given || {});
  return new URLSearchParams([...pairs, ...given.map(([name, value]) => [`with-${name}`, String(value)])]).toString();
}

/** Return the question that an address holds; null where it holds none. */
function fromFragment(text) {
  const pairs = [...new URLSearchParams(text.replace(/^#/, ""))];
  const own = Object.fromEntries(pairs.filter(([name]) => FIELDS.includes(name)));
  if (!own.measure) return null;
  const given = Object.fromEntries(pairs.filter(([name]) => name.startsWith("with-")).map(([name, value]) => [name.slice(5), value]));
  const model = "scores" in own ? "scores" : "first" in own || "second" in own ? "pair" : "table" in own ? "table" : "tp" in own || "fp" in own ? "cells" : "score";
  return { labels: "sizes" in own ? "sizes" : "positives", model, ...own, given };
}

class Doubt extends Error {} // what a field lacks, in words

function whole(text, name, least = 0, most = 1e10) {
  const digits = String(text ?? "").trim().replace(/(?<=\d)[,_ \u202f](?=\d{3}\b)/g, "");
  const value = Number(digits);
  if (/^\d+$/.test(digits) && value >= least && value <= most) return value;
  const range = `from ${number(least)} to ${number(most)}`;
  throw new Doubt(digits ? `${name} must be a whole number ${range}; found “${digits}”.` : `${name}: a whole number ${range} is missing.`);
}

/** Return the class sizes of a question, positives first where there are two classes. */
function sizesOf(question) {
  if (question.labels === "sizes") {
    const parts = (question.sizes || "").split(/[\s,;]+/).filter(Boolean);
    if (parts.length < 2) throw new Doubt("Samples of each class: give two numbers at least, such as 50, 30, 20; of two, the first are the positives.");
    const sizes = parts.map((part) => whole(part, "The size of a class"));
    if (!sizes.some(Boolean)) throw new Doubt("At least one class must have a sample.");
    if (sizes.length > 2 && !sizes.every(Boolean)) throw new Doubt("Leave out the classes without a sample; how they count is a choice that the package asks for.");
    return sizes;
  }
  const total = whole(question.total, "Samples", 1);
  const share = /^(\d+(?:\.\d+)?)\s*%$/.exec(String(question.positives ?? "").trim());
  if (share && Number(share[1]) <= 100) return [Math.round((total * share[1]) / 100), total - Math.round((total * share[1]) / 100)];
  const positives = whole(question.positives, "Positive samples, as a number or such as 30 %,", 0, total);
  return [positives, total - positives];
}

/** Return the parameters of a measure, checked. */
function parametersOf(question) {
  const allowed = (kindOf(question)[question.measure] || {}).parameters || {};
  return Object.fromEntries(Object.entries(allowed).map(([name, { value, low, high, above, whole: counts }]) => {
    const written = question.given?.[name] ?? value;
    const own = Number(written);
    if (String(written).trim() && own >= low && own <= high && !(above && own === low) && !(counts && !Number.isInteger(own))) return [name, own];
    const range = `${above ? "greater than" : "at least"} ${low}${high < 1e15 ? ` and at most ${high}` : ""}`;
    throw new Doubt(`${name} must be a ${counts ? "whole " : ""}number ${range}; found “${written}”.`);
  }));
}

/** Return the measures that a question may name: those of two classes, or of more. */
function kindOf(question) {
  return question.labels === "sizes" && (question.sizes || "").split(/[\s,;]+/).filter(Boolean).length > 2 ? classMeasures : ofTwo;
}

/** Read a table of models: a name and a score, or a name and four cells, with whatever between them. */
function readTable(text) {
  const rows = [];
  const order = ["tp", "fp", "fn", "tn"];
  let heading = order;
  for (const [at, line] of (text || "").split("\n").entries()) {
    const fields = line.replace(/\\\\\s*$/, "").replace(/\s+%/g, "%").split(/[\t;|&]|,(?!\d{3}\b)|\s{2,}/).map((part) => part.trim()).filter(Boolean);
    const words = fields.length > 1 ? fields : line.trim().split(/\s+/).filter(Boolean);
    if (!words.length || words.every((word) => /^:?-+:?$/.test(word))) continue;
    let numbers = 0;
    while (numbers < words.length && isNumber(words[words.length - 1 - numbers])) numbers += 1;
    if (!numbers && !rows.length) { // a heading, which may have the cells in an order of its own
      const named = words.map((word) => word.toLowerCase()).filter((word) => order.includes(word));
      if (named.length === 4) heading = named;
      continue;
    }
    const cells = numbers >= 4 && words.slice(-4).every((word) => /^[\d,]+$/.test(word));
    if (!numbers || (fields.length > 1 && !cells && numbers > 1 && numbers < words.length)) {
      throw new Doubt(`Line ${at + 1}: write a name, then one score or TP, FP, FN and TN; found “${line.trim().slice(0, 60)}”.`);
    }
    const values = words.slice(cells ? -4 : -1);
    rows.push({ name: words.slice(0, words.length - values.length).join(" ") || `line ${at + 1}`, line: at + 1, ...(cells ? { cells: order.map((name) => values[heading.indexOf(name)]) } : { score: values[0] }) });
  }
  if (!rows.length) throw new Doubt("The table has no model yet: a line is a name, then a score, or TP, FP, FN and TN.");
  return rows;
}

function isNumber(word) {
  return /^[+\-−]?(\d[\d,]*\.?\d*|\.\d+)%?$/.test(word);
}
