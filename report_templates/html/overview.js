function section(id, title, ...children) {
  return element("section", { id, "aria-labelledby": id + "-title" },
    element("h2", { id: id + "-title", tabindex: "-1" }, title), children);
}

function total(of) {
  return data.builds.reduce((sum, build) => sum + of(build.tally), 0);
}

function overviewSection() {
  const unexplained = allCases.filter((one) => one.agrees === "contradiction");
  const failed = data.builds.flatMap((build) => build.controls.filter((control) => control.held === "failed")
    .map((control) => element("li", {}, build.title, ": ", control.name, ": ", control.evidence)));
  return element("section", { id: "overview", "aria-labelledby": "overview-title" },
    element("h1", { id: "overview-title", tabindex: "-1" }, "Which order of transforms is safe?"),
    element("p", {}, "Tensor parallel, activation checkpointing, compile, FSDP: distributed training stacks them on one model, and the ",
      "order in which they are applied decides whether training is right, wrong without a word, or fails. ",
      "Rule pages predict it; ordercheck ran every stack below on real ranks and compared it bit for bit with one rank."),
    element("ul", { class: "numbers", "aria-label": "Counts" },
      number(allCases.length, "runs", "cases"),
      number(data.builds.length, "engines and versions", "versions"),
      number(data.rules.length, "rule pages", "rules"),
      number(total((tally) => tally.confirmed), "as predicted", "cases?agrees=confirmed"),
      number(total((tally) => tally.explained), "contradictions explained", "cases?agrees=explained"),
      number(total((tally) => tally.open), "open", "cases?agrees=open"),
      number(total((tally) => tally.undecided), "undecided", "cases?agrees=undecided")),
    element("div", { class: unexplained.length > 0 ? "alarm" : "calm" },
      element("h2", {}, unexplained.length === 0 ? "✓ No contradiction is left unexplained" :
        `! ${counted(unexplained.length, "contradiction")} that no page explains`),
      unexplained.length === 0 ?
        element("p", {}, "Where pages predict and runs decide, they agree, or a page says why they do not.") :
        element("ul", { class: "plain" }, unexplained.slice(0, 20).map((one) => element("li", {},
          caseLink(one), ` on ${one.build.title}: `, one.disagreement || one.words)),
        unexplained.length > 20 ? element("li", {}, element("a", { href: "#cases?agrees=contradiction" },
          `all ${unexplained.length} of them`)) : null)),
    failed.length === 0 ? null : element("div", { class: "alarm" },
      element("h2", {}, `! ${counted(failed.length, "control")} failed: a sound comparison would not show this`), element("ul", {}, failed)),
    table("What each engine and version showed",
      ["Engine", "Runs", ...Object.keys(verdicts).filter((name) => total((tally) => tally.verdicts[name] || 0) > 0), "Not explained"],
      data.builds.map((build) => [build.title, String(build.cases.length),
        ...Object.keys(verdicts).filter((name) => total((tally) => tally.verdicts[name] || 0) > 0)
          .map((name) => String(build.tally.verdicts[name] || 0)),
        String(build.tally.contradictions)])));
}

function number(count, what, hash) {
  return element("li", {}, element("a", { href: "#" + hash }, element("strong", {}, count.toLocaleString("en")), " ", what));
}

function orderSection() {
  return section("order", "The order to apply them in",
    element("p", {}, `For ${data.target}, from left to right. An arrow is a rule page; a red one is an error the other way round.`),
    data.orders.map((order) => [
      element("h3", {}, inline(order.title)),
      element("p", { class: "chain" }, order.names.flatMap((name, i) => [i > 0 ? " → " : "", element("code", {}, name)])),
      graphPicture(data.graphs[order.graph], "Recommended order, " + order.title.replaceAll("`", "")),
      order.gaps.map((gap) => element("p", { class: "note" }, inline(gap)))]));
}
