const data = JSON.parse(document.getElementById("data").textContent);
const ruleById = new Map(data.rules.map((rule) => [rule.id, rule]));
const idByFile = new Map(data.rules.map((rule) => [rule.file.split("/").pop(), rule.id]));

// Every case of every build, with what is asked of it often.
const allCases = data.builds.flatMap((build) => build.cases.map((one) => Object.assign(one, {
  build,
  hash: `case/${build.id}/${encodeURIComponent(one.text)}`,
  grade: gradeOf(one, build),
  agrees: one.agreement !== "contradiction" ? one.agreement : one.explanation ? "explained" : "contradiction",
  searched: [one.text, one.words, one.message, one.place, one.prediction, (one.fired || []).join(" "), build.title].join(" ").toLowerCase(),
})));
const caseByHash = new Map(allCases.map((one) => [one.hash, one]));

// How well the page that predicts stands for the build: the first word of its standing.
function gradeOf(one, build) {
  const standing = standingOf(one.by, build);
  return standing ? standing.grade.split(" ")[0] : "no page";
}

function standingOf(id, build) {
  const rule = ruleById.get(id);
  return rule ? rule.standings.find((standing) => standing.target === build.target) : undefined;
}

// The same case in every build that ran it.
function everywhere(one) {
  return allCases.filter((other) => other.text === one.text);
}

// A sign beside every colour: who cannot tell colours reads the sign.
const verdicts = {
  equal: { sign: "✓", tone: "good", says: "bitwise equal to one rank" },
  close: { sign: "≈", tone: "good", says: "as close as rounding allows" },
  ignored: { sign: "∅", tone: "silent", says: "equal, but a transform silently did nothing" },
  differs: { sign: "≠", tone: "wrong", says: "it ran, and the numbers are wrong" },
  fails: { sign: "✗", tone: "fails", says: "an exception or a crash" },
  hangs: { sign: "∞", tone: "fails", says: "ranks wait for each other for ever" },
  unstable: { sign: "~", tone: "unknown", says: "not even equal to itself" },
  unrun: { sign: "?", tone: "unknown", says: "nothing was shown" },
};
const pairSigns = {
  "✓": { tone: "good", says: "no difference" },
  "▽": { tone: "slow", says: "slower" },
  "∅": { tone: "silent", says: "silently without effect" },
  "≠": { tone: "wrong", says: "silently wrong" },
  "✗": { tone: "fails", says: "fails loudly" },
  "·": { tone: "none", says: "not run" },
};
const agreements = {
  contradiction: "Contradicts a prediction, not explained",
  explained: "Contradicts a prediction, explained by a page",
  undecided: "Undecided: nothing was shown",
  open: "Open: no page decides it",
  confirmed: "As predicted",
};

function verdictMark(one) {
  const verdict = verdicts[one.verdict];
  return element("span", { class: "mark " + verdict.tone, title: verdict.says },
    element("span", { "aria-hidden": "true" }, verdict.sign), " ", one.words);
}

function caseLink(one, text) {
  return element("a", { href: "#" + one.hash }, text || stackCode(one.text));
}

// A stack breaks behind its commas, and nowhere else.
function stackCode(text) {
  return element("code", {}, text.split(/(?<=,)/).flatMap((part, i) => i > 0 ? [element("wbr"), part] : part));
}
