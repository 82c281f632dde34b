/* Numbers and sentences. */

/** Write a number with the digits that so many samples support; what is not whole never looks it. */
function number(value, total = 1000) {
  if (Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (size <= 1e-14) return "0";
  let places = Math.max(3, Math.ceil(Math.log10(total) / 2) + 1);
  if (Math.abs(size - Math.round(size)) <= 1e-12 * size) return minus(value, Math.round(size).toLocaleString("en"));
  places = Math.max(1, places - Math.max(0, Math.floor(Math.log10(size))));
  if (size < 10 ** -(places + 2)) return minus(value, size.toExponential(1).replace("e-", "e−"));
  let text = size.toFixed(places);
  while (places < 17 && !/[1-9]/.test(text.split(".")[1])) text = size.toFixed(++places);
  return minus(value, text);
}

function minus(value, text) {
  return (value < 0 ? "−" : "") + text;
}

/** Write a skill: two decimals, one digit where that would be nothing. */
function signed(value) {
  if (Number.isNaN(value)) return "–";
  const text = Math.abs(value) >= 0.005 || value === 0 ? Math.abs(value).toFixed(2) : Number(Math.abs(value).toPrecision(1)).toString();
  return (value < 0 ? "−" : value > 0 ? "+" : "") + text;
}

function capital(text) {
  return text[0].toUpperCase() + text.slice(1);
}

/** Say what predictions that see no feature do to score the bar; `what` is what they score. */
function attained(bar, what = "that") {
  if (bar.how) return OTHERWISE[bar.how](what, bar);
  const { from, to } = bar.draws;
  if (from < to) {
    const left = LEFT_OUT[[from, bar.total - to]] ?? ` from ${number(from)} to ${number(to)}`;
    return `any number of positives${left}, drawn at random, scores ${what} on average`;
  }
  if (from === bar.total) return `always answering “positive” scores ${what}`;
  if (from === 0) return `always answering “negative” scores ${what}`;
  return `answering “positive” for ${number(from)} of the ${number(bar.total)} samples, drawn at random, scores ${what} on average`;
}

const LEFT_OUT = { "0,0": "", "1,0": ", at least one", "0,1": ", but not all", "1,1": ", at least one and not all" };

const OTHERWISE = {
  "give all": (what) => `giving all samples the same score has ${what}`,
  "give every": (what) => `giving every sample the share of positives as its probability scores ${what}`,
  "rank the": (what) => `ranking the samples at random scores ${what} on average`,
  single: (what, { counts }) => `always answering class ${counts.indexOf(Math.max(...counts)) + 1} scores ${what}`,
  sizes: (what) => `calling as many samples each class as it has, drawn at random, scores ${what} on average`,
  any: (what) => `any classes that occur, drawn at random, score ${what} on average`,
  several: (what) => `at least two classes, drawn at random, score ${what} on average`,
  every: (what) => `each class at least once, drawn at random, scores ${what} on average`,
  first: (what, { counts }) => `naming the ${counts.filter(Boolean).length} largest classes every time scores ${what}`,
  shares: (what) => `giving every sample the shares of the classes as its probabilities scores ${what}`,
  scores: (what) => `giving every sample the same scores has ${what}`,
  counts: (what, { counts }) => `calling ${counts.map((one) => number(one)).join(", ")} samples the classes, drawn at random, scores ${what} on average`,
};

const STANDS = {
  fails: "below the bar",
  clears: "above the bar",
  ties: "exactly at the bar",
  unbeatable: "tells nothing: the bar is the best there is",
  undefined: "cannot be judged",
};

/** Write a p-value as the package does. */
function pText(p) {
  if (p < 1e-5) return "p < 1e-5";
  return `p = ${p < 0.001 ? p.toExponential(1).replace("e-", "e−") : p < 0.0995 ? Number(p.toPrecision(2)) : p.toFixed(2)}`;
}

/** Say where a score stands, and how surely where that is known. */
function verdict(label, written, bar, { outcome, between, surely }) {
  const at = `the bar of ${number(bar.value, bar.total)}`;
  if (between) return `${label} ${written} cannot be judged: from ${between.map((end) => String(Number(end.toPrecision(12)))).join(" to ")} it may lie below ${at} or above it.`;
  return {
    fails: `${label} ${written} is below ${at}: ${attained(bar)}.`,
    clears: !surely ? `${label} ${written} is above ${at} (${attained(bar)}).`
      : surely.sure ? `${label} ${written} surely clears ${at} (${pText(Math.max(surely.p, surely.blind))}).`
      : `${label} ${written} is above ${at}, but it could be chance (${pText(Math.max(surely.p, surely.blind))}).`,
    ties: `${label} ${written} is exactly at ${at}: ${attained(bar)}.`,
    unbeatable: `${label} ${written} tells nothing, since ${attained(bar, number(bar.value, bar.total))}, and nothing can do better.`,
    undefined: `${label} has no value for this table.`,
  }[outcome];
}
