// The first screen: the order, what no order cures, and what is silently wrong, each with what to build instead.
function answerSection() {
  const { names, blocked, silent } = data.answer;
  return element("section", { id: "overview", "aria-labelledby": "overview-title" },
    element("h1", { id: "overview-title", tabindex: "-1" }, "In which order to apply parallelism to a model"),
    names.length === 0 ? null : [
      element("ol", { class: "chain", "aria-label": "Recommended order" }, names.map(chainLink)),
      element("p", { class: "note" }, orderNote())],
    alarms(),
    blocked.map(blockedOrder),
    silent.length === 0 ? null : silentStacks(silent));
}

function chainLink(name, i) {
  const known = data.transforms.find((transform) => transform.name === name);
  return element("li", {}, i > 0 ? element("span", { class: "arrow", "aria-hidden": "true" }, "→") : null,
    element("span", { class: "step" }, element("code", {}, name), " ", known ? element("small", {}, known.title) : null));
}

function orderNote() {
  const { versions, left_out } = data.answer;
  return ["Left is applied first, and lies innermost. Computed from the ", element("a", { href: "#order" }, "order pages"),
    versions === "" ? "" : `, held against runs of PyTorch ${versions}`,
    left_out === "" ? "." : `; ordered by rules alone, and left out since no recorded run holds it: ${left_out}.`,
    " ", element("code", {}, "tp=2,fsdp=2"), " is a stack: ", element("code", {}, "tp"), " first, both over 2 ranks."];
}

function blockedOrder(one) {
  return element("div", { class: "alarm blocked" },
    element("h2", {}, stackCode(one.stack), ` on ${data.target}: `, signMark(one.sign, one.state), ", and another order does not help"),
    element("p", {}, inline(one.blockers), "."),
    one.cure ? element("p", {}, "Cure: ", stackToCopy(one.cure), one.cure_seen ? [" (", ...inline(one.cure_seen), ")"] : null) : null,
    one.no_known_cure ? element("p", {}, "No cure is known that keeps every transform.") : null);
}

function silentStacks(rows) {
  return [element("h2", {}, "Silently wrong, or silently without effect (or with only a part of it), on ", data.target),
    element("div", { id: "silent" },
      table("Silent stacks", ["Do not build", "Build instead", "What happens", "Page", "Since"],
        rows.map((row) => [stackCode(row.bad), row.good ? stackToCopy(row.good) : "no stack is known that ran equal", signMark(row.sign, inline(row.happens)),
          element("span", {}, inline(row.page)), element("span", { class: "since" }, row.since)])))];
}

function signMark(sign, words) {
  return element("span", { class: "mark wraps " + pairSigns[sign].tone }, element("span", { "aria-hidden": "true" }, sign), " ", words);
}

// What is wrong with the runs of this file themselves.
function alarms() {
  const unexplained = worstFirst.filter((one) => one.agrees === "contradiction");
  const failed = data.builds.flatMap((build) => build.controls.filter((control) => control.held === "failed")
    .map((control) => element("li", {}, build.title, ": ", control.name, ": ", control.evidence)));
  return [
    unexplained.length === 0 ? null : element("div", { class: "alarm" },
      element("h2", {}, `! ${counted(unexplained.length, "run")} ${unexplained.length === 1 ? "contradicts" : "contradict"} the prediction, and no rule explains it`),
      element("ul", { class: "plain" }, unexplained.slice(0, 20).map((one) => element("li", {},
        caseLink(one), ` on ${one.build.title}: `, inline(one.disagreement || one.words))),
      unexplained.length > 20 ? element("li", {}, element("a", { href: "#cases?agrees=contradiction" },
        `all ${unexplained.length} of them`)) : null)),
    failed.length === 0 ? null : element("div", { class: "alarm" },
      element("h2", {}, `! ${counted(failed.length, "control")} failed: the comparison did not find a fault that was put in`),
      element("ul", {}, failed))];
}
