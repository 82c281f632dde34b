/* The bar of a measure: the best expected score of all predictions that ignore the features.

A draw calls k of the M samples positive at random; of its k, as many are right as the hypergeometric law of M, P and k
says. Formulas, conditions and shapes are the registry's (`measures`, `conditions`); here is only the sum, and the
search for the best k. Draws that can lead to an outcome without a value are left out, as the package does by default. */

const SMOOTH = 25000; // samples up to which every k is tried where nothing is known of the expectation's shape
const JAGGED = 10000; // the same for functions with a kink, which take every outcome
const RANKED = 5000000; // samples up to which bars of measures of scores are taken: some list all ranks
const DEPTH = 1e-20; // a probability beside the largest one, from which on nothing is added

const ofTwo = { ...measures, ...scoreMeasures };

/** Return a measure of two classes with its parameters put in. */
function measureOf(name, given = {}) {
  const own = ofTwo[name];
  if (!own.parameters) return own;
  const chosen = Object.fromEntries(Object.keys(own.parameters).map((key) => [key, given[key] ?? own.parameters[key].value]));
  const put = (fact) => (typeof fact === "function" ? fact(chosen) : fact);
  const written = Object.entries(chosen).map(([key, value]) => `${key}=${value}`).join(", ");
  return {
    ...own,
    bounds: put(own.bounds), affine: put(own.affine), shape: put(own.shape), domain: put(own.domain),
    label: typeof own.label === "function" ? own.label(chosen) : `${own.label}(${written})`,
    value: own.value && ((tp, fp, fn, tn) => own.value(tp, fp, fn, tn, chosen)),
    fixed: chosen,
  };
}

/** Return the ranges of k at which every outcome has a value, and that the bar may use. */
function spansOf(measure, total, positives) {
  let spans = [[0, total]];
  for (const text of [...measure.domain, ...measure.requires]) {
    const other = conditions[text](total, positives);
    spans = spans.flatMap(([a, b]) => other.map(([c, d]) => [Math.max(a, c), Math.min(b, d)]));
  }
  return spans.filter(([first, last]) => first <= last);
}

/** Return the expected score if k samples are called positive at random. */
function expectation(measure, total, positives, k) {
  if (measure.shape === "constant") return measure.constant(total, positives);
  const at = (tp) => measure.value(tp, k - tp, positives - tp, total - positives - k + tp);
  return measure.affine ? at(total ? (positives * k) / total : 0) : hypergeometricMean(at, measure.smooth, total, positives, k);
}

/* The probabilities are those beside the mode's, by recurrence from it: none overflows, and none is a difference. Where
the law is wide, every few outcomes do for a smooth function: the error of such a sum falls faster than any power. */
function hypergeometricMean(at, smooth, total, positives, k) {
  const negatives = total - positives;
  const low = Math.max(0, k - negatives);
  const high = Math.min(positives, k);
  const mode = Math.min(high, Math.max(low, Math.floor(((k + 1) * (positives + 1)) / (total + 2))));
  const spread = Math.sqrt((k * (positives / total) * (negatives / total) * (total - k)) / Math.max(total - 1, 1));
  const stride = smooth && spread >= 12 ? Math.floor(spread / 2) : 1;
  let sum = at(mode);
  let mass = 1;
  let weight = 1;
  for (let tp = mode, next = stride; tp < high && weight > DEPTH; ) {
    weight *= ((positives - tp) / (tp + 1)) * ((k - tp) / (negatives - k + tp + 1));
    tp += 1;
    if (--next) continue;
    next = stride;
    sum += weight * at(tp);
    mass += weight;
  }
  weight = 1;
  for (let tp = mode, next = stride; tp > low && weight > DEPTH; ) {
    weight *= (tp / (positives - tp + 1)) * ((negatives - k + tp) / (k - tp + 1));
    tp -= 1;
    if (--next) continue;
    next = stride;
    sum += weight * at(tp);
    mass += weight;
  }
  return sum / mass;
}

function mostScanned(measure) {
  return measure.expected ? RANKED : measure.smooth ? SMOOTH : JAGGED;
}

/** Return the largest and the smallest expected score, each with a range of k that attains it; null without a value. */
function extremes(measure, total, positives) {
  const spans = spansOf(measure, total, positives);
  if (!spans.length) return { max: null, min: null };
  if (!measure.shape && total > mostScanned(measure)) return { beyond: true };
  const score = (k) => expectation(measure, total, positives, k);
  const ends = [];
  for (const direction of [1, -1]) {
    const found = spans.map((span) => bestIn(measure, score, span, direction));
    ends.push(found.reduce((a, b) => (direction * (b.value - a.value) > 0 ? b : a)));
  }
  return { max: ends[0], min: ends[1] };
}

/** Return the best of one range of k, by the shape of the expectation over k where the registry knows it. */
function bestIn(measure, score, [first, last], direction) {
  if (measure.shape === "constant") return { value: score(first), from: first, to: last };
  const turning = { peak: 1, valley: -1 }[measure.shape];
  if (!measure.shape) return tried(score, first, last, direction);
  if (turning === direction) {
    const k = turn(score, first, last, direction);
    return { value: score(k), from: k, to: k };
  }
  const [a, b] = [score(first), score(last)];
  if (same(a, b)) return { value: a, from: first, to: measure.shape === "monotone" ? last : first };
  return direction * (a - b) > 0 ? { value: a, from: first, to: first } : { value: b, from: last, to: last };
}

function same(a, b) {
  return Math.abs(a - b) <= 4e-15 * Math.max(Math.abs(a), Math.abs(b));
}

function tried(score, first, last, direction) {
  let best = { value: score(first), from: first, to: first };
  for (let k = first + 1; k <= last; k++) {
    const value = score(k);
    if (direction * (value - best.value) > 0 && !same(value, best.value)) best = { value, from: k, to: k };
  }
  return best;
}

/** Return the k after which an expectation with one turn no longer gets better. */
function turn(score, first, last, direction) {
  let [left, right] = [first, last];
  while (left < right) {
    const middle = Math.floor((left + right) / 2);
    if (direction * (score(middle + 1) - score(middle)) > 0) left = middle + 1;
    else right = middle;
  }
  return left;
}

/** Return the bar of a measure of scores. */
function rankedBarOf(measure, total, positives) {
  const reason = measure.needs(total, positives, measure.fixed);
  const missing = reason || total > RANKED;
  const own = (fact, otherwise) => (missing ? NaN : fact ? fact(total, positives, measure.fixed) : otherwise);
  const value = own(measure.expected);
  const perfect = own(measure.perfect, measure.bounds[measure.greater ? 1 : 0]);
  return { total, beyond: !reason && total > RANKED, reason, value, worst: own(measure.worst, value), perfect, how: measure.how };
}

/** Return the bar of a measure: its value, who attains it, and what skill is scaled by. */
function barOf(measure, total, positives) {
  if (measure.expected) return rankedBarOf(measure, total, positives);
  const { max, min, beyond } = extremes(measure, total, positives);
  const [best, worst] = measure.greater === false ? [min, max] : [max, min];
  const perfect = measure.value(positives, 0, 0, total - positives);
  const none = measure.greater === null || !best;
  return {
    total,
    beyond: Boolean(beyond),
    value: none ? NaN : best.value,
    draws: none ? null : best,
    worst: none ? NaN : worst.value,
    perfect: Number.isFinite(perfect) ? perfect : NaN,
  };
}
