/* Of NumPy what bars of many classes take: numbers and arrays of one axis, of which a number is as good as many. */

const each = (f) => (a, b) => {
  if (!Array.isArray(a) && !Array.isArray(b)) return f(a, b);
  return Array.from({ length: (Array.isArray(a) ? a : b).length }, (_, i) => f(Array.isArray(a) ? a[i] : a, Array.isArray(b) ? b[i] : b));
};
const running = (a, f) => {
  const found = [...a];
  for (let i = 1; i < found.length; i++) found[i] = f(found[i - 1], a[i]);
  return found;
};
const np = {
  add: each((a, b) => a + b),
  sub: each((a, b) => a - b),
  mult: each((a, b) => a * b),
  div: each((a, b) => a / b),
  pow: each((a, b) => a ** b),
  lt: each((a, b) => a < b),
  lte: each((a, b) => a <= b),
  gt: each((a, b) => a > b),
  gte: each((a, b) => a >= b),
  eq: each((a, b) => a === b),
  noteq: each((a, b) => a !== b),
  usub: each((a) => -a),
  invert: each((a) => !a),
  sqrt: each((a) => Math.sqrt(a)),
  isnan: each((a) => Number.isNaN(a)),
  same: (a) => a,
  array: (a) => [...a],
  zeros_like: (a) => a.map(() => 0),
  ones_like: (a) => a.map(() => 1),
  isin: (a, list) => list.includes(a),
  log: each((a) => Math.log(a)),
  log1p: each((a) => Math.log1p(a)),
  log2: each((a) => Math.log2(a)),
  minimum: each(Math.min),
  maximum: each(Math.max),
  arange: (first, last) => Array.from({ length: last - first }, (_, i) => first + i),
  concatenate: (parts) => parts.flat(),
  len: (a) => a.length,
  sum: (a) => a.reduce((sum, one) => sum + Number(one), 0),
  min: (...a) => Math.min(...a.flat()),
  max: (...a) => Math.max(...a.flat()),
  all: (a) => a.every(Boolean),
  count_nonzero: (a) => a.filter(Boolean).length,
  flatnonzero: (a) => a.flatMap((one, i) => (one ? [i] : [])),
  argmax: (a) => a.indexOf(Math.max(...a)),
  argmin: (a) => a.indexOf(Math.min(...a)),
  argsort: (a) => a.map((_, i) => i).sort((i, j) => a[i] - a[j]),
  sort: (a) => [...a].sort((x, y) => x - y),
  cumsum: (a) => running(a, (sum, one) => sum + one),
  cumprod: (a) => running(a, (product, one) => product * one),
  where: (test, yes, no) => (Array.isArray(test) ? test.map((one, i) => np.at(one ? yes : no, i)) : test ? yes : no),
  at: (a, i) => {
    if (!Array.isArray(a)) return a;
    if (!Array.isArray(i)) return a.at(i);
    return typeof i[0] === "boolean" ? a.filter((_, j) => i[j]) : i.map((j) => a[j]);
  },
  tail_ge: (least, ...margins) => hypergeometricMean((tp) => (tp >= least ? 1 : 0), false, ...margins),
  put: (a, i, value) => [i].flat().forEach((j) => { a[j] = value; }),
};

/** Return the bar of a measure of many classes, in the form of one of two classes. */
function classBarOf(measure, sizes) {
  const found = measure.bar(sizes);
  const total = np.sum(sizes);
  return { total, beyond: false, value: found.value, worst: found.worst, perfect: measure.perfect, how: found.how, counts: found.counts, reason: found.reason };
}
