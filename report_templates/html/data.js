const data = JSON.parse(document.getElementById("data").textContent);
const ruleById = new Map(data.rules.map((rule) => [rule.id, rule]));
const idByFile = new Map(data.rules.map((rule) => [rule.file.split("/").pop(), rule.id]));

// The worst first: a run that is wrong and says nothing, one that stops, one that shows nothing, one that is right. A sign beside
// every colour: who cannot tell colours reads the sign.
const verdicts = {
  differs: { sign: "≠", tone: "wrong", says: "it ran, and the numbers are wrong" },
  ignored: { sign: "∅", tone: "silent", says: "the numbers are right, and a transform silently had no effect, or only a part of it" },
  hangs: { sign: "∞", tone: "fails", says: "ranks wait for each other for ever" },
  fails: { sign: "✗", tone: "fails", says: "an exception or a crash" },
  unstable: { sign: "~", tone: "unknown", says: "two runs of it are not equal" },
  unrun: { sign: "?", tone: "unknown", says: "nothing was shown" },
  close: { sign: "≈", tone: "good", says: "as close to one rank as rounding allows" },
  equal: { sign: "✓", tone: "good", says: "bitwise equal to one rank" },
};

// Every case of every build, with what is asked of it often.
const allCases = data.builds.flatMap((build) => build.cases.map((one) => Object.assign(one, {
  build,
  hash: `case/${build.id}/${encodeURIComponent(one.text)}`,
  grade: gradeOf(one, build),
  agrees: one.agreement !== "contradiction" ? one.agreement : one.explanation ? "explained" : "contradiction",
  searched: [one.text, one.words, one.message, one.place, one.prediction, (one.fired || []).join(" "), build.title].join(" ").toLowerCase(),
})));
// What contradicts a prediction and is explained by no rule, then by harm; of two alike that of the newest PyTorch.
const worstFirst = allCases.map((one) => ({ one, rank: [one.agrees === "contradiction" ? 0 : 1,
  Object.keys(verdicts).indexOf(one.verdict), one.build.target === data.target ? 0 : 1] }))
  .sort((left, right) => left.rank.reduce((sooner, part, i) => sooner || part - right.rank[i], 0)).map(({ one }) => one);
const caseByHash = new Map(allCases.map((one) => [one.hash, one]));

// How well the page that predicts stands for the build: the first word of its standing.
function gradeOf(one, build) {
  const standing = standingOf(one.by, build);
  return standing ? standing.grade.split(" ")[0] : "no rule";
}

function standingOf(id, build) {
  const rule = ruleById.get(id);
  return rule ? rule.standings.find((standing) => standing.target === build.target) : undefined;
}

// The same case in every build that ran it.
function everywhere(one) {
  return allCases.filter((other) => other.text === one.text);
}

const pairSigns = {
  "✓": { tone: "good", says: "bitwise equal to a single-rank run" },
  "▽": { tone: "slow", says: "equal, but it costs more" },
  "∅": { tone: "silent", says: "silently without effect, or with only a part of it" },
  "≠": { tone: "wrong", says: "silently wrong" },
  "✗": { tone: "fails", says: "fails" },
  "·": { tone: "none", says: "not run yet" },
};
const agreements = {
  contradiction: "Contradicts a prediction, not explained",
  explained: "Contradicts a prediction, explained by a rule",
  undecided: "Undecided: the run shows nothing",
  open: "Not predicted: no rule speaks of it here",
  confirmed: "As predicted",
};
const grades = {
  reproduced: "a run showed the harm",
  cited: "a source states it, and no run has checked it",
  contested: "its sources disagree, and no run decides",
  refuted: "a run did not show the harm",
  stale: "true of earlier versions",
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
