/* Where a score stands to its bar. */

const OUTCOMES = ["fails", "clears", "ties", "unbeatable", "undefined"];

/** Return skill and outcome: van de Bijl et al., J. Appl. Prob. 2024, section 5.1; losses are mirrored by sign. */
function standing(measure, bar, score) {
  const sign = measure.greater === false ? -1 : 1;
  const [s, d, b, w] = [score, bar.value, bar.perfect, bar.worst].map((one) => sign * one);
  const bound = sign > 0 ? measure.bounds[0] : -measure.bounds[1];
  if (Number.isNaN(s) || Number.isNaN(d) || measure.greater === null) return { skill: NaN, outcome: "undefined" };
  const share = Math.min(1e-12, 1 / (8 * Math.max(bar.total, 1)));
  const reach = Number.isFinite(b - w) ? Math.abs(b - w) : 0;
  const level = (x, y) => Math.abs(x - y) <= share * Math.max(Math.abs(x), Math.abs(y), reach);
  const way = Number.isFinite(b - d) ? Math.abs(b - d) : 0;
  const tied = Math.abs(s - d) <= Math.max(share * way, 1e-15 * Math.abs(s));
  const scale = s > d ? b - d : d > w && !level(d, w) ? d - w : d - bound;
  const usable = scale > 0 && Number.isFinite(scale) && Number.isFinite(b) && Number.isFinite(s);
  const skill = tied && Number.isFinite(b) ? 0 : usable ? Math.max((s - d) / scale, -1) : NaN;
  const outcome = level(d, b) ? "unbeatable" : tied ? "ties" : s > d ? "clears" : "fails";
  return { skill, outcome };
}

/* A score as printed stands for all scores that are printed so. */
function readScore(text, measure) {
  const written = /^([+-]?(?:\d+|(?=\.\d))(?:\.(\d*))?)\s*(%?)$/.exec(text.trim().replace("−", "-"));
  if (!written) return { error: `A score is a number such as 0.72 or 72 %; found “${text.trim()}”.` };
  const places = (written[2] || "").length + (written[3] ? 2 : 0);
  const value = Number(written[1]) / (written[3] ? 100 : 1);
  const [low, high] = measure.bounds;
  if (value < low - 1e-12 || value > high + 1e-12) {
    const hint = value / 100 >= low && value / 100 <= high ? ` Did you mean ${written[1]} %?` : "";
    return { error: `${measure.label} runs from ${number(low)} to ${number(high)}; found ${written[1]}.${hint}` };
  }
  return { value, places: (written[2] || "").length || written[3] ? places : 0 };
}

/** Judge a score as printed: both ends of what it stands for must have the same outcome. */
function judgePrinted(measure, bar, { value, places }) {
  const own = standing(measure, bar, value);
  if (!places || own.outcome === "undefined") return own;
  const half = 0.5 * 10 ** -places;
  const [low, high] = measure.bounds;
  const ends = [value - half, value + half].map((end) => Math.min(Math.max(end, low), high));
  const [least, most] = ends.map((end) => standing(measure, bar, end).outcome);
  if (least === most) return { ...own, outcome: least };
  return { skill: NaN, outcome: "undefined", between: ends };
}
