function versionsSection() {
  return section("versions", "Versions side by side",
    data.changes.length === 0 ? element("p", {}, "No engine has runs of two versions yet.") :
      data.changes.map((view) => [
        element("h3", {}, view.engine),
        element("p", {}, `${view.same} cases show the same in every version that ran them; these do not:`),
        view.rows.length === 0 ? element("p", {}, "None.") :
          table(view.engine + ": cases whose verdict changed", ["Stack", ...view.versions, "Pages that flag it"],
            view.rows.map((row) => [span(row.order), ...row.cells.map((cell) => changedCell(view, row, cell)), span(row.rules)]))]));
}

function changedCell(view, row, words) {
  const tone = words === "not run" ? "none" : (verdicts[words.split(" ")[0]] || verdicts.unrun).tone;
  const sign = words === "not run" ? "·" : (verdicts[words.split(" ")[0]] || verdicts.unrun).sign;
  return element("span", { class: "mark wraps " + tone }, element("span", { "aria-hidden": "true" }, sign), " ", words);
}

function span(text) {
  return element("span", {}, inline(text));
}

function projectsSection() {
  return section("projects", "Projects side by side",
    element("p", {}, "The orders that projects fix in their code, beside what the pages and runs say of them."),
    table("Orders of projects", ["Project", "Order", "Other than recommended", "Pages that flag it", `On ${data.target}`, "Source"],
      data.projects.map((project) => [project.title,
        element("span", {}, project.items.flatMap((item, i) => [i > 0 ? " → " : "", element("code", {}, item)])),
        span(project.differs), span(project.findings), span(project.run),
        element("span", {}, inline(project.source), ", ", project.date)])),
    data.disagreements.length === 0 ? null :
      table("Pairs that projects apply in both orders", ["Pair", "The first one first", "The second one first"],
        data.disagreements.map((d) => [span(d.pair), d.first_before, d.second_before])),
    data.own_runs.length === 0 ? null :
      table("Projects' own functions, run in their own order", ["Project", "Stack", "What it showed"],
        data.own_runs.map((run) => [run.title, span(run.stack), span(run.shown)])),
    data.projects.map((project) => element("details", {},
      element("summary", {}, project.title),
      element("p", {}, inline(project.says)),
      element("p", {}, "Recorded: ", inline(project.recorded)),
      graphPicture(data.graphs[project.graph], "What must come before what among the transforms of " + project.title))));
}
