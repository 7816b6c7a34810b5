const MOST_RUNS = 200;  // of a table on a rule's page

function rulesSection() {
  return section("rules", "Rule pages",
    element("p", {}, "A page is one claim: what goes wrong, who said so, and the smallest stack that shows it. Its basis is fundamental ",
      "(no implementation could allow it), recommended (legal, but worse) or incidental (true of some implementation and version). ",
      "Its grade says what runs on an engine and version showed of it: ", gradesInWords(), "."),
    table("Rule pages", ["Page", "What it says", "Kind", "Harm", "Basis", `Grade on ${data.target}`],
      data.rules.map((rule) => {
        const standing = rule.standings.find((one) => one.target === data.target);
        return [ruleLink(rule.id), span(rule.title), rule.kind, rule.harm || "none", rule.basis, standing ? standing.grade : "claims nothing"];
      })));
}

function gradesInWords() {
  return Object.entries(grades).map(([grade, says]) => `${grade} (${says})`).join(", ");
}

function ruleView(id) {
  const rule = ruleById.get(id);
  if (!rule) return null;
  const fires = worstFirst.filter((one) => (one.fired || []).includes(id));
  const claimed = fires.filter((one) => standingOf(id, one.build)), elsewhere = fires.filter((one) => !standingOf(id, one.build));
  return element("article", {},
    element("h1", { tabindex: "-1" }, `${rule.id}: `, inline(rule.title)),
    facts([["Kind", rule.kind], ["Flags", span(rule.flags)], ["Only when", rule.when && span(rule.when)], ["Harm", rule.harm],
      ["Basis", rule.basis], ["Holds for", span(rule.holds)], [`Smallest stack, ${rule.bad_name}`, rule.bad && span(rule.bad)],
      [`Smallest stack, ${rule.good_name}`, rule.good && span(rule.good)], ["File", element("code", {}, rule.file)]]),
    element("h2", {}, "What it flags"), paragraphs(rule.what),
    element("h2", {}, "Why"), paragraphs(rule.why),
    rule.limits ? [element("h2", {}, "Limits"), paragraphs(rule.limits)] : null,
    element("h2", {}, "What runs showed of it"),
    rule.standings.length === 0 ? element("p", {}, "It claims nothing of an engine that ran here.") :
      table("Grades", ["Engine", "Grade", `${rule.bad_name} showed`, `${rule.good_name} showed`, "Note"],
        rule.standings.map((s) => [s.target, s.grade, s.bad, s.good, s.note])),
    rule.expectations.length === 0 ? null : [element("h2", {}, "What else it expects"), list(rule.expectations)],
    rule.citations.length === 0 ? null : [element("h2", {}, "Who says so"), list(rule.citations)],
    element("h2", {}, "See it"),
    command("Read the rule on a terminal", "ordercheck explain " + rule.id),
    rule.repro === "" ? null : command("Write a script that shows it on PyTorch alone",
      `ordercheck repro ${quoted(rule.repro)} --python python3 -o repro.py`),
    runsOfRule("Runs that it speaks about", claimed),
    elsewhere.length === 0 ? null :
      runsOfRule("The same pattern where it claims nothing", elsewhere, "Runs on other engines and releases."),
    Math.max(claimed.length, elsewhere.length) > MOST_RUNS ?
      element("p", {}, element("a", { href: `#cases?text=${id}` }, "All of them")) : null);
}

function runsOfRule(title, runs, remark = "") {
  return [element("h2", {}, `${title}: ${runs.length.toLocaleString("en")}`),
    remark === "" ? null : element("p", {}, remark),
    runs.length === 0 ? null : table(title, ["Stack", "Verdict", "Engine"],
      runs.slice(0, MOST_RUNS).map((one) => [caseLink(one), verdictMark(one), one.build.title]))];
}

function list(texts) {
  return element("ul", {}, texts.map((text) => element("li", {}, inline(text))));
}

// Terms and what is said of them; what is empty is left out.
function facts(pairs) {
  return element("dl", {}, pairs.filter(([, value]) => value).map(([name, value]) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, value))));
}
