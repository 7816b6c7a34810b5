function caseView(one) {
  const others = everywhere(one).filter((other) => other !== one);
  return element("article", {},
    element("h1", { tabindex: "-1" }, stackCode(one.text)),
    element("p", { class: "lead" }, verdictMark(one), ` on ${one.build.title}: ${verdicts[one.verdict].says}`),
    facts([["Predicted", one.prediction], ["Against the prediction", agreements[one.agrees]], ["How", one.disagreement && span(one.disagreement)],
      ["Explanation", one.explanation && span(one.explanation)], ["Open because", one.open_because],
      ["Seen", one.message], ["Where", one.place], ["Backend", one.backend], ["Versions", one.build.versions]]),
    one.text.startsWith("(nothing)") ? null : commandsOf(one),
    one.difference ? divergence(one.difference) : null,
    one.effects ? [element("h2", {}, "Did every transform take effect?"), effectsTable(one.effects)] : null,
    element("h2", {}, "Pages that flag it"),
    !one.fired ? element("p", {}, "None.") : table("Pages that flag it", ["Page", "What it says", "Harm", "Grade here", "Note"],
      one.fired.map((id) => {
        const rule = ruleById.get(id), standing = standingOf(id, one.build);
        return [ruleLink(id), rule ? span(rule.title) : "retired", rule ? rule.harm || "none" : "",
          standing ? standing.grade : "claims nothing of this engine", element("span", { class: "why" }, standing ? standing.note : "")];
      })),
    element("h2", {}, "What must come before what"),
    graphPicture(data.graphs[one.graph], "Precedence among the transforms of " + one.text),
    one.collectives && one.collectives !== "-" ? [element("h2", {}, "Collectives of rank 0, last step"), collectivesTable(one.collectives)] : null,
    one.counters && one.counters !== "-" ? [element("h2", {}, "Counters"),
      table("Counters", ["Counter", "Value"], one.counters.split(" ").map((pair) => {
        const [name, value] = pair.split("=");
        return [name.replaceAll("_", " "), value === "?" ? "not measured" : Number(value).toLocaleString("en")];
      }))] : null,
    element("h2", {}, "The same case elsewhere"),
    others.length === 0 ? element("p", {}, "No other engine or version ran it.") :
      table("The same case elsewhere", ["Engine", "Verdict", "Seen"],
        others.map((other) => [caseLink(other, other.build.title), verdictMark(other), element("span", { class: "why" }, other.message || "")])));
}

// A case of no transform at all has none: it is the plain model on one rank.
function commandsOf(one) {
  return [element("h2", {}, "Run it"),
    command("This case on ranks", runCommand(one)),
    command("What the rules say, without running", "ordercheck check " + quoted(one.text.split(" ")[0])),
    one.build.engine === "pytorch" ? scriptOf(one) : null];
}

function runCommand(one) {
  const [stack, ...settings] = one.text.split(" ");
  const options = settings.map((setting) => {
    const at = setting.indexOf("=");
    return `--${setting.slice(0, at)} ${quoted(setting.slice(at + 1))}`;
  });
  const engine = one.build.engine === "native" ? [] : ["--engine " + one.build.engine, "--python python3"];
  return ["ordercheck run", quoted(stack), ...options, ...engine].join(" ");
}

function divergence(difference) {
  return [element("h2", {}, "What differs first"),
    facts([["What", difference.what], ["Step", String(difference.step)],
      ["Rank", difference.rank === undefined ? "" : String(difference.rank)],
      ["Expected", difference.expected && `${difference.expected}, of the single-rank run`], ["Got", difference.got], ["Apart", difference.apart]])];
}

function effectsTable(text) {
  return table("Effects", ["Transform", "Effect", "What was seen"], text.split(" | ").map((effect) => {
    const [transform, state, ...signs] = effect.split(": ");
    return [element("code", {}, transform), state, signs.join(": ")];
  }));
}

function collectivesTable(text) {
  return table("Collectives", ["Collective", "Group", "Phase", "Calls", "Bytes"], text.split(" ").map((entry) => {
    const parts = entry.split(":"), bytes = parts.pop(), count = parts.pop();
    return [...parts, Number(count).toLocaleString("en"), Number(bytes).toLocaleString("en")];
  }));
}
