// The address says what is shown: #case/..., #rule/..., or a section of the one long page.
const main = document.getElementById("main");
const overview = element("div", {}, answerSection(), heatSection(), runsSection(), casesSection(), orderSection(), versionsSection(),
  projectsSection(), rulesSection());
const detail = element("div", { id: "detail", hidden: true });
const kTitle = document.title;
let cameFrom = null;

function decoded(hash) {
  try {
    return decodeURIComponent(hash);
  } catch {
    return hash;
  }
}

function detailOf(hash) {
  if (hash.startsWith("rule/")) return ruleView(decoded(hash.slice(5)));
  if (!hash.startsWith("case/")) return null;
  const one = caseByHash.get(hash) || allCases.find((other) => decoded(other.hash) === decoded(hash));
  return one ? caseView(one) : null;
}

function show() {
  const hash = location.hash.slice(1);
  const article = detailOf(hash);
  if (article) {
    if (detail.hidden && overview.contains(document.activeElement)) cameFrom = document.activeElement;
    const back = element("p", { class: "back" }, element("a", { href: "#overview", onclick: leave }, "← All results"), " ",
      element("kbd", {}, "Esc"));
    detail.replaceChildren(back, article);
    detail.hidden = false;
    overview.hidden = true;
    scrollTo(0, 0);
    const heading = detail.querySelector("h1");
    document.title = heading.textContent + " - ordercheck";
    heading.focus({ preventScroll: true });
    return;
  }
  const returned = !detail.hidden;
  detail.hidden = true;
  overview.hidden = false;
  document.title = kTitle;
  const [id, words] = hash.split("?");
  if (id === "cases") {
    readFilters(words || "");
    shownCases = kPage;
    showMatches(words !== undefined);
  }
  const target = document.getElementById(id);
  if (returned && cameFrom && cameFrom.isConnected) cameFrom.focus();
  else if (target && target.matches("section")) {
    target.scrollIntoView();
    target.querySelector("[tabindex='-1']").focus({ preventScroll: true });
  } else if (/^(case|rule)\//.test(hash)) say("This file does not hold " + decoded(hash));
  cameFrom = null;
}

// To where the reader was: the section that the case was opened from.
function leave(event) {
  event?.preventDefault();
  const section = cameFrom?.closest("section");
  const filtered = section?.id === "cases" ? new URLSearchParams([...new FormData(document.querySelector(".filters"))].filter(([, v]) => v)) : null;
  location.hash = filtered && filtered.size > 0 ? "cases?" + filtered : section?.id || "overview";
}

addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !detail.hidden) leave();
});
addEventListener("hashchange", show);
main.append(overview, detail);
showMatches(false);
show();
