function total(of) {
  return data.builds.reduce((sum, build) => sum + of(build.tally), 0);
}

function runsSection() {
  const unexplained = total((tally) => tally.contradictions);
  const shown = Object.keys(verdicts).filter((name) => total((tally) => tally.verdicts[name] || 0) > 0);
  return section("runs", "What was run",
    element("p", {}, "Each run trains a small model for a few steps on real ranks, and compares losses, gradients and parameters ",
      "with a single-rank run bit for bit. Rules predict what it shows."),
    element("ul", { class: "numbers", "aria-label": "Counts" },
      number(allCases.length, "runs", "cases"),
      number(data.builds.length, "engines and versions", "versions"),
      number(data.rules.length, "rule pages", "rules"),
      number(total((tally) => tally.confirmed), "as predicted", "cases?agrees=confirmed"),
      number(total((tally) => tally.explained), "against the prediction, explained", "cases?agrees=explained"),
      number(unexplained, "against the prediction, not explained", "cases?agrees=contradiction"),
      number(total((tally) => tally.open), "not predicted", "cases?agrees=open"),
      number(total((tally) => tally.undecided), "undecided", "cases?agrees=undecided")),
    table("What each engine and version showed", ["Engine", "Runs", ...shown, "Not explained"],
      data.builds.map((build) => [build.title, String(build.cases.length),
        ...shown.map((name) => String(build.tally.verdicts[name] || 0)), String(build.tally.contradictions)])));
}

function number(count, what, hash) {
  return element("li", {}, element("a", { href: "#" + hash }, element("strong", {}, count.toLocaleString("en")), " ", what));
}
