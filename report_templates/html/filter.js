// Cases, narrowed down by what is asked; the question stands in the address, so that it can be sent to somebody.
const kPage = 100;
const kFilters = [
  { name: "with", label: "Transform", of: (one) => one.transforms, values: () => data.transforms.map((t) => [t.name, `${t.name}: ${t.title}`]) },
  { name: "verdict", label: "Verdict", of: (one) => [one.verdict],
    values: () => Object.entries(verdicts).filter(([name]) => allCases.some((one) => one.verdict === name))
      .map(([name, { sign }]) => [name, `${sign} ${name}`]) },
  { name: "engine", label: "Engine", of: (one) => [one.build.engine], values: () => plain(data.builds.map((build) => build.engine)) },
  { name: "version", label: "Version", of: (one) => [one.build.version], values: () => plain(data.builds.map((build) => build.version)) },
  { name: "agrees", label: "Against the prediction", of: (one) => [one.agrees], values: () => Object.entries(agreements) },
  { name: "grade", label: "Grade of the rule", of: (one) => [one.grade], values: () => plain(allCases.map((one) => one.grade)).map(([name]) => [name, grades[name] ? `${name}: ${grades[name]}` : name]) },
];
let shownCases = kPage;

function plain(values) {
  return [...new Set(values)].sort().map((value) => [value, value]);
}

function casesSection() {
  const list = element("div", { id: "matches" });
  const fields = kFilters.map((filter) => element("p", { class: "field" },
    element("label", { for: "filter-" + filter.name }, filter.label),
    element("select", { id: "filter-" + filter.name, name: filter.name },
      element("option", { value: "" }, "any"), filter.values().map(([value, text]) => element("option", { value }, text)))));
  const text = element("p", { class: "field wide" },
    element("label", { for: "filter-text" }, "Text in stack, message, place or rule"),
    element("input", { type: "search", id: "filter-text", name: "text", autocomplete: "off", spellcheck: "false",
      placeholder: "for example tp=2,fsdp=2 or all_gather" }));
  const form = element("form", { class: "filters", role: "search", "aria-label": "Find cases", oninput: () => asked(form),
    onsubmit: (event) => event.preventDefault(), onreset: () => setTimeout(() => asked(form)) },
    fields, text, element("button", { type: "reset" }, "Clear"));
  return section("cases", "Cases", element("p", {}, "The most harmful first: what contradicts a prediction and no page explains, then ",
    "silently wrong, silently without effect, hangs, fails, unstable, not run, equal."), form, element("p", { id: "match-count" }), list);
}

function asked(form) {
  const words = new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== ""));
  history.replaceState(null, "", words.size > 0 ? "#cases?" + words : "#cases");
  shownCases = kPage;
  showMatches(true);
}

// From the address into the fields.
function readFilters(words) {
  const wanted = new URLSearchParams(words);
  for (const field of document.querySelectorAll(".filters [name]")) field.value = wanted.get(field.name) || "";
  for (const field of document.querySelectorAll(".filters select")) if (field.selectedIndex < 0) field.value = "";
}

function matching() {
  const value = (name) => document.getElementById("filter-" + name).value;
  const words = value("text").toLowerCase().split(/\s+/).filter((word) => word !== "");
  return worstFirst.filter((one) =>
    kFilters.every((filter) => value(filter.name) === "" || filter.of(one).includes(value(filter.name))) &&
    words.every((word) => one.searched.includes(word)));
}

function showMatches(aloud) {
  const found = matching();
  const said = found.length === allCases.length ? `All ${counted(found.length, "case")}` :
    found.length === 0 ? "No case matches: clear a filter" : `${counted(found.length, "case")} of ${allCases.length.toLocaleString("en")}`;
  document.getElementById("match-count").textContent = said;
  if (aloud) say(said);
  const list = document.getElementById("matches");
  if (found.length === 0) {
    list.replaceChildren();
    return;
  }
  const rows = found.slice(0, shownCases).map((one) => [caseLink(one), verdictMark(one), one.build.title,
    agreements[one.agrees].split(":")[0], element("span", { class: "why" }, one.verdict === "equal" ? "" : one.message || one.place || ""),
    (one.fired || []).flatMap((id, i) => [i > 0 ? ", " : "", ruleLink(id)])]);
  const more = found.length <= shownCases ? null : element("button", { type: "button", onclick: () => {
    const last = shownCases;
    shownCases += kPage;
    showMatches(true);
    document.querySelectorAll("#matches tbody tr")[last].querySelector("a").focus();
  } }, `Show ${Math.min(kPage, found.length - shownCases)} more`);
  list.replaceChildren(...[table("Cases", ["Stack", "Verdict", "Engine", "Prediction", "Why", "Pages that flag it"],
    rows.map((row) => row.map((cell) => Array.isArray(cell) ? element("span", {}, cell) : cell))), more].filter(Boolean));
}
