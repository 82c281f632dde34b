/* Several printed scores: can they be of one table? Two of two models: is the first shown to be better? */

const MOST_TABLES = 4000000; // tables that are tried here
const MOST_CLAIMED = 1000000; // samples of two models
const COUNTED = { accuracy: ([P, N]) => P + N, recall: ([P]) => P, specificity: ([, N]) => N };

/** Return what a score as printed stands for. */
function endsOf(text, measure) {
  const read = readScore(text, measure);
  if (read.error) throw new Doubt(read.error);
  const half = 0.5 * 10 ** -read.places;
  return [read.value - half, read.value + half];
}

/** Count the tables that have all scores, with the ends of TP and FP; or name a smallest set that none has. */
function possibleTables([P, N], scores) {
  if ((P + 1) * (N + 1) > MOST_TABLES) throw new Doubt(`Above ${number(MOST_TABLES)} tables these are too many for this page; the package finds them.`);
  const all = 2 ** scores.length - 1;
  const seen = new Set();
  const found = { count: 0, tp: [Infinity, -Infinity], fp: [Infinity, -Infinity], contradiction: [] };
  for (let tp = 0; tp <= P; tp += 1) {
    for (let fp = 0; fp <= N; fp += 1) {
      let has = 0;
      for (const [at, { measure, ends: [low, high] }] of scores.entries()) {
        const value = measure.value(tp, fp, P - tp, N - fp);
        if (value >= low - 1e-12 && value <= high + 1e-12) has += 2 ** at;
      }
      seen.add(has);
      if (has !== all) continue;
      found.count += 1;
      found.tp = [Math.min(found.tp[0], tp), Math.max(found.tp[1], tp)];
      found.fp = [Math.min(found.fp[0], fp), Math.max(found.fp[1], fp)];
    }
  }
  const size = (set) => scores.filter((_, at) => set & (2 ** at)).length;
  const sets = Array.from({ length: all }, (_, at) => at + 1).sort((a, b) => size(a) - size(b));
  const none = found.count ? 0 : sets.find((set) => ![...seen].some((has) => (has & set) === set));
  found.contradiction = scores.filter((_, at) => none & (2 ** at)).map(({ name }) => name);
  return found;
}

/** McNemar's exact p of so many samples on which one model alone is right. */
function mcnemar(discordant, difference) {
  if (difference <= 1) return 1;
  let tail = 0;
  for (let heads = (discordant + difference) / 2; heads <= discordant; heads += 1) tail += binomial(heads, discordant, 0.5);
  return Math.min(1, 2 * tail);
}

/** Return the last possible number of samples that differ before the first whose p is above ALPHA. */
function mostDiscordant([a, b], [c, d], total, most) {
  const pairs = [[a, d], ...(a < b ? [[a + 1, d]] : []), ...(c < d ? [[a, d - 1]] : [])];
  let end = total + 1 - Math.max(0, a + c - total, total - b - d);
  for (const [x, y] of pairs) {
    const alone = Math.floor((most(x, y) - (x - y)) / 2) + 1;
    let [low, high] = [0, alone];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (mcnemar(x - y + 2 * middle, x - y) <= ALPHA) low = middle + 1; else high = middle;
    }
    if (low < alone) end = Math.min(end, x - y + 2 * low);
  }
  const before = end - (a - d); // with one difference alone only every other number is possible
  if (!before) return null;
  return end - (before % 2 === 0 && pairs.length === 1 ? 2 : 1);
}

/** Return the least and the largest p of a claim, and up to how many samples that differ it is shown. */
function claimOf(first, second, total) {
  const [[a, b], [c, d]] = [first, second].map(([low, high]) => [Math.max(0, Math.ceil(low * total - 1e-7)), Math.min(total, Math.floor(high * total + 1e-7))]);
  if (a > b || c > d) throw new Doubt(`No number of ${number(total)} right answers is rounded to the ${a > b ? "first" : "second"} score.`);
  const most = (x, y) => Math.min(x + y, 2 * total - x - y);
  const [least, largest] = [mcnemar(Math.max(b - c, 1), b - c), mcnemar(Math.max(most(a, d), 1), a - d)];
  const verdict = largest <= ALPHA ? "shown" : least > ALPHA ? "not shown" : "depends";
  return { verdict, least, largest, differ: a > d ? mostDiscordant([a, b], [c, d], total, most) : null };
}

/** Read lines of a measure and a score. */
function readScores(text) {
  const plain = (name) => String(name ?? "").toLowerCase().replace(/[^a-z0-9]/g, "");
  return (text || "").split("\n").filter((line) => line.trim()).map((line) => {
    const parts = /^(.*?)[\s=:,]+([+\-−]?[\d.]+\s*%?)$/.exec(line.trim());
    const found = parts && Object.entries(measures).find(([key, one]) => [key, one.label, ...(one.names || "").split(", ")].some((name) => plain(name) === plain(parts[1])));
    if (!found) throw new Doubt(`Write a measure and its score on each line, such as accuracy 0.85; found “${line.trim().slice(0, 60)}”.`);
    const measure = measureOf(found[0]);
    return { name: found[0], text: parts[2], measure, ends: endsOf(parts[2], measure) };
  });
}

/** Answer what follows from printed scores alone, in sentences. */
function ofPaper(question) {
  const sizes = sizesOf(question);
  if (sizes.length !== 2) throw new Doubt("Printed scores are held against each other for two classes here; the package has more.");
  const population = `cb.Population(total=${sizes[0] + sizes[1]}, positives=${sizes[0]})`;
  return question.model === "scores" ? ofScores(question, sizes, population) : ofPair(question, sizes, population);
}

function ofScores(question, sizes, population) {
  const scores = readScores(question.scores);
  if (!scores.length) throw new Doubt("Write a measure and its score on each line, such as accuracy 0.85.");
  const { count, tp, fp, contradiction } = possibleTables(sizes, scores);
  const span = ([low, high]) => (low === high ? number(low) : `${number(low)} to ${number(high)}`);
  const back = ([low, high], size) => [size - high, size - low];
  const cells = `TP ${span(tp)}, FP ${span(fp)}, FN ${span(back(tp, sizes[0]))}, TN ${span(back(fp, sizes[1]))}`;
  const one = contradiction.length === 1 ? "no table has this score" : "no table has these scores together";
  const said = count ? `${number(count)} ${count === 1 ? "table has" : "tables have"} these scores: ${cells}.` : `${capital(contradiction.join(" and "))}: ${one}.`;
  const given = scores.map(({ name, text }) => `${JSON.stringify(name)}: ${JSON.stringify(text)}`).join(", ");
  return { paper: said, typed: `print(cb.possible_tables(${population}, {${given}}))` };
}

function ofPair(question, sizes, population) {
  const name = question.measure;
  if (!Object.hasOwn(COUNTED, name)) throw new Doubt("Choose accuracy, recall or specificity: they count right answers. The package has other measures.");
  const total = COUNTED[name](sizes);
  if (!(total <= MOST_CLAIMED)) throw new Doubt(`Above ${number(MOST_CLAIMED)} samples the package tells.`);
  const ends = [question.first, question.second].map((text) => {
    if (!(text || "").trim()) throw new Doubt("Give both scores as printed, the better one first.");
    return endsOf(text, measureOf(name));
  });
  const { verdict, least, largest, differ } = claimOf(...ends, total);
  const limit = differ === null ? "on the overlap of both models and on what was rounded" : `on the overlap: it is shown if at most ${number(differ)} of ${number(total)} samples are judged differently`;
  const said = { shown: "Shown, whatever the overlap of both models", "not shown": "Cannot be shown by these two numbers", depends: `It depends ${limit}` }[verdict];
  const p = (value) => pText(value).replace(/^p (= )?/, "");
  const texts = [question.first, question.second].map((text) => JSON.stringify(text.trim())).join(", ");
  return { paper: `${said} (p from ${p(least)} to ${p(largest)}).`, typed: `print(cb.claim(${texts}, ${population}, ${JSON.stringify(name)}))` };
}
