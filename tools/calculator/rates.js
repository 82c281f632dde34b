/* How surely: the test of two rates, its interval, and the blind p-value of four cells.

TP ~ Bin(P, a) and FP ~ Bin(N, b); the true score is the measure at a and b. Outcomes are ordered by the signed root of
the likelihood ratio against the curve f(a, b) = bar, and p is the largest probability of the tail over the points of the
curve inside a confidence box, plus BETA (Berger and Boos 1994), as the package has it (docs/verdict.md). A score below
its bar is judged as its mirror image: misses for hits, and the measure with its sign turned. */

const BETA = 1e-6; // the probability that the true rates lie outside the box
const BOX_TAIL = (1 - Math.sqrt(1 - BETA)) / 2; // of either side of both rates
const EDGE = 1e-13; // rates are this far from 0 and 1 where a formula is read: there it may be 0/0
const TIE = 1e-9; // outcomes as near to the observed one are in the tail
const MOST_TESTED = 30000; // samples up to which this page computes p and intervals
const GRID = 240; // points of the curve, along either rate
const ALPHA = 0.05;

const logFactorials = [0];
function logFactorial(n) {
  for (let i = logFactorials.length; i <= n; i++) logFactorials.push(logFactorials[i - 1] + Math.log(i));
  return logFactorials[n];
}

const times = (count, log) => (count === 0 ? 0 : count * log);

function binomial(x, n, rate) {
  const log = logFactorial(n) - logFactorial(x) - logFactorial(n - x);
  return Math.exp(log + times(x, Math.log(rate)) + times(n - x, Math.log1p(-rate)));
}

/** Return where a function that falls from above 0 to below it is 0; the ends where it does not. */
function root(fall, low, high, steps = 60) {
  for (let i = 0; i < steps && high - low > 1e-16 * high; i++) {
    const middle = (low + high) / 2;
    if (fall(middle) >= 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The same near a guess, by secants: for a function that costs much and has no jumps. */
function secant(fall, guess, step) {
  let [other, near] = [guess, guess + step];
  let [first, value] = [fall(other), fall(near)];
  for (let i = 0; i < 12 && Math.abs(value) > 1e-5 && value !== first; i++) {
    const next = near - value * Math.max(-20, Math.min(20, (near - other) / (value - first)));
    [other, first, near] = [near, value, next];
    value = fall(near);
  }
  return near;
}

/** Return Clopper and Pearson's limits of a rate; `tail` is the probability beyond either. */
function clopperPearson(x, n, tail) {
  const upTo = (most, rate) => {
    let sum = 0;
    const spread = 40 + 40 * Math.sqrt(n * rate * (1 - rate));
    for (let i = Math.max(0, Math.floor(Math.min(most, n * rate) - spread)); i <= most; i++) sum += binomial(i, n, rate);
    return sum;
  };
  const low = x === 0 ? 0 : root((rate) => tail - (1 - upTo(x - 1, rate)), 0, x / n);
  const high = x === n ? 1 : root((rate) => upTo(x, rate) - tail, x / n, 1);
  return [low, high];
}

/** One side of the question: is f(a, b), which rises in a and falls in b, above `bar`? Seen from a better score. */
function sideOf(measure, [tp, fp, fn, tn], above) {
  const sign = (measure.greater === false ? -1 : 1) * (above ? 1 : -1);
  const [P, N] = [tp + fn, fp + tn];
  const value = above
    ? (x, y) => sign * measure.value(x, y, P - x, N - y)
    : (x, y) => sign * measure.value(P - x, N - y, x, y);
  const inner = (rate) => Math.min(Math.max(rate, EDGE), 1 - EDGE);
  const [x, y] = above ? [tp, fp] : [fn, tn];
  const boxes = [clopperPearson(x, P, BOX_TAIL), clopperPearson(y, N, BOX_TAIL)];
  const around = ([low, high], n) => {
    const spread = (rate) => 8 * Math.sqrt(n * rate * (1 - rate)) + 40;
    return [Math.max(0, Math.floor(n * low - spread(low))), Math.min(n, Math.ceil(n * high + spread(high)))];
  };
  const corners = [[0, 0], [0, N], [P, 0], [P, N]];
  return {
    P, N, x, y, sign, value, boxes,
    left: above ? corners.filter(([x, y]) => Number.isNaN(value(x, y))) : [], // what has no value is above no bar
    score: (a, b) => value(P * inner(a), N * inner(b)),
    rows: around(boxes[0], P), columns: around(boxes[1], N),
  };
}

/** The b at which f(a, b) is the bar: -Infinity where f is below it for every b, Infinity where it is above. */
function along(side, bar) {
  const flat = (start, end) => (start < 0 ? -Infinity : end > 0 ? Infinity : null);
  return {
    b: (a) => flat(side.score(a, 0) - bar, side.score(a, 1) - bar) ?? root((b) => side.score(a, b) - bar, 0, 1),
    a: (b) => flat(bar - side.score(0, b), bar - side.score(1, b)) ?? root((a) => bar - side.score(a, b), 0, 1),
  };
}

const arcsine = (from, to, points) => {
  const [low, high] = [from, to].map((rate) => Math.asin(Math.sqrt(rate)));
  return Array.from({ length: points }, (_, i) => Math.sin(low + ((high - low) * i) / (points - 1)) ** 2);
};

/** The curve as points [a, b, which rate it is followed along], with their logarithms. */
function curveOf(side, bar) {
  const on = along(side, bar);
  const rates = arcsine(0, 1, GRID);
  const points = [rates.map((a) => [a, on.b(a)]), rates.map((b) => [on.a(b), b])];
  const inside = (rate) => Math.min(Math.max(rate, 1e-300), 1);
  const logs = (a, b) => [Math.log(inside(a)), Math.log1p(-Math.min(a, 1 - 1e-16)), Math.log(inside(b)), Math.log1p(-Math.min(b, 1 - 1e-16))];
  const lines = points.map((line) => line.map(([a, b]) => (Number.isFinite(a) && Number.isFinite(b) ? logs(a, b) : null)));
  return { on, rates, lines, logs, bar };
}

const likelihood = ({ P, N }, x, y, logs) => times(x, logs[0]) + times(P - x, logs[1]) + times(y, logs[2]) + times(N - y, logs[3]);

/** Twice the logarithm of the likelihood ratio of an outcome against the curve; less than `enough` is not looked at closely. */
function ratio(side, curve, x, y, enough = 0) {
  const { P, N } = side;
  const own = times(x, Math.log(x / P)) + times(P - x, Math.log1p(-x / P)) + times(y, Math.log(y / N)) + times(N - y, Math.log1p(-y / N));
  let best = [-Infinity, 0, 0];
  curve.lines.forEach((line, which) => {
    for (let i = 0; i < line.length; i++) {
      if (!line[i]) continue;
      const value = likelihood(side, x, y, line[i]);
      if (value > best[0]) best = [value, which, i];
    }
  });
  if (2 * (own - best[0]) < enough) return 2 * (own - best[0]); // a finer look only makes it smaller
  const [, which, i] = best;
  // between points of the curve the likelihood is nearly a parabola: twice its gain is no less than what a finer look finds
  const [before, after] = [-1, 1].map((step) => (curve.lines[which][i + step] ? likelihood(side, x, y, curve.lines[which][i + step]) : NaN));
  const gain = (before - after) ** 2 / (16 * (2 * best[0] - before - after));
  if (2 * (own - best[0] - 2 * gain) > enough && enough > 0) return 2 * (own - best[0] - gain);
  const value = (rate) => {
    const other = which ? curve.on.a(rate) : curve.on.b(rate);
    return Number.isFinite(other) ? likelihood(side, x, y, which ? curve.logs(other, rate) : curve.logs(rate, other)) : -Infinity;
  };
  const finest = golden(value, curve.rates[Math.max(0, i - 1)], curve.rates[Math.min(GRID - 1, i + 1)]);
  return Math.max(0, 2 * (own - Math.max(best[0], finest)));
}

/** Return the largest value of a function with one peak. */
function golden(value, low, high, steps = 40) {
  const share = (Math.sqrt(5) - 1) / 2;
  let [a, b] = [high - share * (high - low), low + share * (high - low)];
  let [left, right] = [value(a), value(b)];
  for (let i = 0; i < steps; i++) {
    if (left > right) {
      [high, b, right] = [b, a, left];
      a = high - share * (high - low);
      left = value(a);
    } else {
      [low, a, left] = [a, b, right];
      b = low + share * (high - low);
      right = value(b);
    }
  }
  return Math.max(left, right);
}

/** The tail: for each count x of the first class the largest y as far above the bar as what was seen. */
function boundaryOf(side, curve) {
  const { bar } = curve;
  const t = Math.sqrt(ratio(side, curve, side.x, side.y));
  const least = Math.max(0, t - TIE * Math.max(1, t)) ** 2;
  const isFar = (x, y) => {
    const own = side.value(x, y);
    const value = Number.isNaN(own) ? side.score(x / side.P, y / side.N) : own; // what lies next to it
    return value > bar + 1e-12 * Math.max(1, Math.abs(bar)) && ratio(side, curve, x, y, least) >= least;
  };
  const [first, last] = side.columns;
  let y = first - 1;
  const ends = [];
  for (let x = side.rows[0]; x <= side.rows[1]; x++) {
    let step = 1;
    while (y + step <= last && isFar(x, y + step)) {
      y += step;
      step *= 2;
    }
    while (step > 1) {
      step /= 2;
      if (y + step <= last && isFar(x, y + step)) y += step;
    }
    ends.push(y);
  }
  return ends;
}

/** The probability of the tail at a pair of rates. */
function tailAt(side, ends, a, b) {
  const [first] = side.columns;
  const most = ends[ends.length - 1];
  const cumulated = new Float64Array(Math.max(0, most - first + 1));
  let sum = 0;
  for (let y = first; y <= most; y++) cumulated[y - first] = sum += binomial(y, side.N, b);
  let probability = 0;
  ends.forEach((y, i) => {
    if (y >= first) probability += binomial(side.rows[0] + i, side.P, a) * (y >= side.columns[1] ? 1 : cumulated[y - first]);
  });
  for (const [x, y] of side.left) if (y <= ends[x - side.rows[0]]) probability -= binomial(x, side.P, a) * binomial(y, side.N, b);
  return probability;
}

/** The largest probability of a tail where f is at most the bar of a curve, within the box, plus BETA. */
function worst(side, curve, tail) {
  const [[lowA, highA], [lowB, highB]] = side.boxes;
  const byA = (a) => {
    const b = Math.max(curve.on.b(a), lowB);
    return b <= highB ? tailAt(side, tail, a, b) : 0;
  };
  const byB = (b) => {
    const a = Math.min(curve.on.a(b), highA);
    return a >= lowA ? tailAt(side, tail, a, b) : 0;
  };
  let largest = 0;
  for (const [value, low, high] of [[byA, lowA, highA], [byB, lowB, highB]]) {
    const rates = arcsine(low, high, 41);
    const tails = rates.map(value);
    const peaks = tails.map((_, i) => i).sort((i, j) => tails[j] - tails[i]).slice(0, 2);
    largest = Math.max(largest, ...tails);
    for (const i of peaks) if (tails[i] > 0) largest = Math.max(largest, golden(value, rates[Math.max(0, i - 1)], rates[Math.min(40, i + 1)], 18));
  }
  return largest + BETA;
}

/** One-sided p of a bar. */
function oneSided(side, bar) {
  const curve = curveOf(side, bar);
  return worst(side, curve, boundaryOf(side, curve));
}

/** Return P(TP >= tp) if as many are called positive at random. */
function blindP([tp, fp, fn, tn]) {
  const [P, k, M] = [tp + fn, tp + fp, tp + fp + fn + tn];
  const choose = (n, i) => logFactorial(n) - logFactorial(i) - logFactorial(n - i);
  let sum = 0;
  for (let i = Math.min(P, k); i >= tp; i--) sum += Math.exp(choose(P, i) + choose(M - P, k - i) - choose(M, k));
  return Math.min(1, sum);
}

/** Whether this page tests a measure of these cells. */
function isTested(measure, [tp, fp, fn, tn]) {
  return measure.ordered && tp + fn > 0 && fp + tn > 0 && tp + fp + fn + tn <= MOST_TESTED && Number.isFinite(measure.value(tp, fp, fn, tn));
}

/** Return p, blind p and whether four cells surely clear a bar; null where this page has no test. */
function howSurely(measure, cells, bar) {
  if (!isTested(measure, cells) || Number.isNaN(bar.value)) return null;
  const sign = measure.greater === false ? -1 : 1;
  const [score, level] = [sign * measure.value(...cells), sign * bar.value];
  const tied = Math.abs(score - level) <= 1e-12 * Math.max(1, Math.abs(level));
  const above = score > level;
  const p = tied ? 1 : Math.min(1, 2 * oneSided(sideOf(measure, cells, above), above ? level : -level));
  const blind = blindP(cells);
  return { p, blind, sure: above && !tied && Math.max(p, blind) <= ALPHA };
}

/** Return the 95 % interval of the true score of four cells. */
function intervalOf(measure, cells) {
  const sign = measure.greater === false ? -1 : 1;
  const score = sign * measure.value(...cells);
  const [low, high] = [endOf(sideOf(measure, cells, true), score), -endOf(sideOf(measure, cells, false), -score)];
  return sign > 0 ? [low, high] : [-high, -low];
}

/** The outermost bar below the score that is not refuted, along the straight way to the worst rates.

p is not monotone: it jumps as outcomes enter or leave the tail. Between two bars all tails lie within the union of both,
whose probability at the nearer bar bounds p in between; what the bound does not clear is split, the outermost part first. */
function endOf(side, score) {
  const [a, b] = [side.x / side.P, side.y / side.N];
  const least = ALPHA / 2;
  const looked = new Map();
  const look = (logit) => {
    if (!looked.has(logit)) {
      const share = 1 / (1 + Math.exp(-logit));
      const bar = side.score(a * (1 - share), b + share * (1 - b));
      const curve = curveOf(side, bar);
      looked.set(logit, { bar, curve, get tail() { return (this.kept ??= boundaryOf(side, curve)); } });
    }
    return looked.get(logit);
  };
  const p = (logit) => worst(side, look(logit).curve, look(logit).tail);
  const [first, last] = [-Math.log(20 * (side.P + side.N)), 14];
  if (!(look(last).bar < score)) return score;
  if (side.P * side.N > 40000) {
    const guess = root((logit) => 1.96 ** 2 - ratio(side, look(logit).curve, side.x, side.y), first, last, 24);
    return look(secant((logit) => Math.log(p(logit) / least), guess, 0.01)).bar;
  }
  const middle = root((logit) => p(logit) - least, first, last, 8);
  const cuts = [first, middle - 0.2, middle - 0.05, middle, middle + 0.05, middle + 0.2, middle + 0.5, middle + 1, middle + 2, middle + 4];
  const parts = [];
  const split = (edges) => edges.slice(1).forEach((edge, i) => edge > edges[i] && parts.push([edges[i], edge]));
  split([...cuts.filter((logit) => logit >= first && logit < last), last]);
  for (let rounds = 0; parts.length && rounds < 400; rounds++) {
    const [near, far] = parts.pop();
    const [inner, outer] = [look(near), look(far)];
    const union = inner.tail.map((end, i) => Math.max(end, outer.tail[i]));
    if (worst(side, inner.curve, union) <= least) continue;
    if (far - near < 1e-5) return far >= last - 1e-4 ? side.score(0, 1) : outer.bar;
    if (inner.tail.every((end, i) => end === outer.tail[i])) return look(root((logit) => p(logit) - least, near, far, 20)).bar;
    split(Array.from({ length: 7 }, (_, i) => near + ((far - near) * i) / 6));
  }
  return look(first).bar;
}
