#include "report/page_data.h"

#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/wording.h"
#include "report/markdown.h"
#include "stack/notation.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

using Json = nlohmann::ordered_json;

Json lines(const std::vector<std::string>& texts) {
  Json list = Json::array();
  for (const std::string& text : texts) list.push_back({{"line", text}});
  return list;
}

Json texts(const std::vector<std::string>& values) {
  Json list = Json::array();
  for (const std::string& value : values) list.push_back({{"text", value}});
  return list;
}

Json data_of(const OrderRun& run) {
  return {{"target", run.target},
          {"stack", code(print(run.stack))},
          {"seen", run.seen},
          {"blockers", join(run.blockers, "; ")},
          {"cure", run.cure ? code(print(*run.cure)) : ""},
          {"cure_seen", run.cure_seen},
          {"no_known_cure", run.no_known_cure}};
}

Json data_of(const PairReason& r) {
  return {{"pair", r.pair}, {"rule", r.rule}, {"reason", r.reason}, {"cite", r.cite}, {"other_way", r.other_way}};
}

// Pairs that no page orders are left out, and those that an order above has told already.
Json data_of(const RecommendedOrder& order, std::set<std::string>& told) {
  Json runs = Json::array(), reasons = Json::array();
  for (const OrderRun& run : order.runs) runs.push_back(data_of(run));
  std::set<std::string> here;
  for (const PairReason& reason : order.reasons) {
    here.insert(reason.pair);
    if (!reason.rule.empty() && !told.contains(reason.pair)) reasons.push_back(data_of(reason));
  }
  told.insert(here.begin(), here.end());
  return {
      {"title", order.title}, {"arrows", join(order.names, " → ")}, {"runs", std::move(runs)}, {"reasons", std::move(reasons)}};
}

Json data_of(const PairTableRow& row) {
  return {{"good", breakable_code(row.good)},
          {"bad", breakable_code(row.bad)},
          {"happens", row.happens},
          {"since", row.since},
          {"basis", row.basis},
          {"cure", breakable(row.cure)},
          {"page", row.page},
          {"others", row.others}};
}

Json data_of(const PairMatrix& matrix) {
  Json rows = Json::array();
  for (const PairRow& row : matrix.rows) {
    std::vector<std::string> signs;
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      signs.push_back(matrix.names[i] == row.name ? "" : sign_of(row.cells[i]));
    rows.push_back({{"name", row.name}, {"cells", texts(signs)}});
  }
  std::vector<std::string> never_run;
  for (const std::string& name : matrix.never_run) never_run.push_back(code(name));
  return {{"names", texts(matrix.names)}, {"rows", std::move(rows)}, {"never_run", join(never_run, ", ")}};
}

Json data_of(const Symptom& symptom) {
  return {{"message", symptom.message}, {"where", symptom.where}, {"pages", symptom.pages}};
}

Json data_of(const SeenGroup& group) {
  return {{"place", group.place}, {"seen", group.seen}, {"list", in_lines(group.cases, "  ")}};
}

Json data_of(const SentRow& row) {
  return {{"stack", row.stack},       {"verdict", row.verdict}, {"gathers", row.gathers}, {"gathers_again", row.gathers_again},
          {"scatters", row.scatters}, {"reduces", row.reduces}, {"bytes", row.bytes}};
}

Json data_of(const ContradictionRow& row) {
  return {{"what", row.what}, {"claimed", row.claimed}, {"seen", row.seen}, {"explanation", row.explanation}};
}

Json data_of(const OpenCases& open) { return {{"why", open.why}, {"list", in_lines(open.cases, "  ")}}; }

Json data_of(const FrameworkRow& row) {
  return {{"title", row.title},     {"order", row.order},       {"source", breakable(row.source)},
          {"differs", row.differs}, {"findings", row.findings}, {"run", row.run}};
}

Json data_of(const OwnRun& run) { return {{"title", run.title}, {"stack", run.stack}, {"shown", run.shown}, {"on", run.on}}; }

Json data_of(const Disagreement& d) {
  return {{"pair", d.pair}, {"first_before", d.first_before}, {"second_before", d.second_before}};
}

Json data_of(const PointStack& stack) { return {{"stack", stack.stack}, {"cells", texts(stack.cells)}}; }

Json data_of(const PointView& point);
Json data_of(const TransformPage& page);
Json data_of(const TransformShown& shown);
Json data_of(const SentTable& table);
Json data_of(const TransformView& view);
Json data_of(const VersionsView& view);
Json data_of(const VerdictGroup& group);
Json data_of(const AgreementView& view);

Json data_of(const ChangedRow& row) { return {{"order", row.order}, {"cells", texts(row.cells)}, {"rules", row.rules}}; }

Json data_of(const DisagreementRow& row) {
  return {{"order", row.order}, {"cells", texts(row.cells)}, {"explanation", row.explanation}};
}

Json data_of(const SetView& set) {
  return {{"title", set.title}, {"orders", set.orders}, {"verdicts", set.verdicts}, {"objects", set.objects}};
}

template <class T>
Json all(const std::vector<T>& values) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(data_of(value));
  return list;
}

Json data_of(const VerdictGroup& group) {
  return {{"verdict", group.verdict}, {"cases", group.cases}, {"groups", all(group.groups)}};
}

Json data_of(const AgreementView& view) {
  return {{"title", view.title},         {"file", view.file},           {"confirmed", view.confirmed},
          {"open", view.open},           {"explained", view.explained}, {"contradictions", view.contradictions},
          {"undecided", view.undecided}, {"rows", all(view.rows)},      {"open_cases", all(view.open_cases)},
          {"left_out", view.left_out}};
}

Json data_of(const SentTable& table) {
  return {{"title", table.title},
          {"engine", table.engine},
          {"model", table.model},
          {"steps", table.steps},
          {"rows", all(table.rows)}};
}

Json data_of(const VersionsView& view) {
  return {{"engine", view.engine}, {"versions", texts(view.versions)}, {"same", view.same}, {"rows", all(view.rows)}};
}

Json data_of(const EnginesView& view) {
  return {{"engines", texts(view.engines)}, {"same", view.same}, {"rows", all(view.rows)}};
}

Json data_of(const PointView& point) {
  return {{"title", point.title},
          {"by", point.by},
          {"date", point.date},
          {"says", point.says},
          {"basis_said", point.basis_said},
          {"why", point.why},
          {"ours", point.ours},
          {"other_way", point.other_way},
          {"pages", join(point.pages, ", ")},
          {"stacks", all(point.stacks)},
          {"answer", point.answer}};
}

// What every word of a stack stands for, from the catalogue.
std::string transform_names() {
  std::vector<std::string> names;
  for (const TransformInfo& info : transforms()) names.push_back(fmt::format("{} {}", code(info.name), info.title));
  return join(names, ", ");
}

Json data_of(const TransformPage& page) {
  return {{"page", page.page}, {"claim", page.claim}, {"harm", page.harm}, {"basis", page.basis}, {"source", page.source}};
}

Json data_of(const TransformShown& shown) {
  return {{"target", shown.target},
          {"verdict", shown.verdict},
          {"page", shown.page},
          {"stacks", shown.stacks},
          {"more", shown.more}};
}

Json data_of(const TransformView& view) {
  return {{"name", view.name},        {"title", view.title}, {"run", view.run},
          {"shown", all(view.shown)}, {"sent", view.sent},   {"projects", join(view.projects, "; ")},
          {"pages", all(view.pages)}};
}

// Of what is silent today: the rows that show this.
Json rows_that_show(Shown shown, const std::vector<PairTableRow>& rows) {
  std::vector<std::string> parts;
  for (const PairTableRow& row : rows)
    if (row.shown == shown)
      parts.push_back(fmt::format("{} ({}, since {}; build {})", code(row.bad), row.page, row.since, code(row.good)));
  return join(parts, ", ");
}

Json data_of(const PageCount& count) {
  return {{"run", counted(count.run, "page")},
          {"fundamental", count.fundamental.empty() ? "none names" : counted(std::ssize(count.fundamental), "names", "name")},
          {"fundamental_pages", join(count.fundamental, "; ")},
          {"fails", std::to_string(count.fails)},
          {"wrong", std::to_string(count.wrong)},
          {"without_effect", std::to_string(count.without_effect)},
          {"slower", std::to_string(count.slower)},
          {"equal", std::to_string(count.equal)},
          {"not_run", counted(count.not_run, "page")}};
}

}  // namespace

PageContents pages_of(const Sources& sources, const std::vector<EngineRuns>& engines) {
  PageContents pages{.discussions = discussion_views(sources, engines),
                     .orders = recommended_orders(sources, engines),
                     .count = count_pages(sources, engines),
                     .pair_table = pair_table(sources, engines),
                     .pairs = pair_matrix(sources, engines),
                     .symptoms = symptoms(sources, engines),
                     .transforms = {transform_view("ep", Scope::experts, sources, engines),
                                    transform_view("simple_fsdp", std::nullopt, sources, engines),
                                    transform_view("auto_parallel", std::nullopt, sources, engines)},
                     .changes = versions_views(sources, engines),
                     .between_engines = engines_view(sources, engines),
                     .frameworks = framework_rows(sources, engines),
                     .own_runs = own_runs(sources.frameworks, engines, sources.rules),
                     .disagreements = disagreements(sources.frameworks)};
  pages.answer = order_answer(pages.orders, pages.pair_table, sources, engines);
  if (!pages.orders.empty()) pages.drawing = draw_order(pages.answer.names, sources, engines);
  for (const EngineRuns& engine : engines) {
    pages.engines.push_back(engine_view(sources, engine));
    pages.agreements.push_back(agreement_view(sources, engine));
  }
  for (const Rule& rule : sources.rules) pages.rules.push_back(rule_page(rule, sources, engines));
  return pages;
}

Json data_of(const RulePage& page) {
  Json standings = Json::array();
  std::vector<std::string> grades;
  for (const Standing& s : page.standings) {
    grades.push_back(s.target + ": " + s.grade);
    standings.push_back({{"target", s.target},
                         {"grade", s.grade},
                         {"note", s.note},
                         {"bad", s.bad},
                         {"good", s.good},
                         {"claimed", s.claimed ? "yes" : "no"}});
  }
  return {{"id", page.id},
          {"title", page.title},
          {"kind", page.kind},
          {"file", page.file},
          {"page", page.file.substr(page.file.rfind('/') + 1)},
          {"flags", page.flags},
          {"when", page.when},
          {"harm", page.harm},
          {"basis", page.basis},
          {"holds", page.holds},
          {"bad", page.bad},
          {"good", page.good},
          {"repro", page.repro},
          {"loses", page.loses},
          {"bad_name", page.bad_name},
          {"good_name", page.good_name},
          {"standings", std::move(standings)},
          {"grades", grades.empty() ? fmt::format("{}, not run", page.cited) : join(grades, "<br>")},
          {"cited", page.cited}};
}

Json data_of(const EngineView& view) {
  return {{"title", view.title},   {"versions", view.versions}, {"arithmetic", view.arithmetic},
          {"cases", view.cases},   {"verdicts", view.verdicts}, {"controls", lines(view.controls)},
          {"file", view.file},     {"runs", all(view.runs)},    {"sets", all(view.sets)},
          {"sent", all(view.sent)}};
}

Json data_of(const DiscussionView& discussion) {
  return {{"title", discussion.title},
          {"file", discussion.name + ".md"},
          {"url", discussion.url},
          {"engines", texts(discussion.engines)},
          {"points", all(discussion.points)}};
}

Json ordering_data(const PageContents& pages) {
  const OrderAnswer& answer = pages.answer;
  Json blocked = Json::array();
  for (const OrderRun& run : answer.blocked) {
    blocked.push_back(data_of(run));
    blocked.back()["state"] = in_words(answer.whole_order);
  }
  Json orders = Json::array();
  std::set<std::string> told;
  for (const RecommendedOrder& order : pages.orders) orders.push_back(data_of(order, told));
  Json data{{"target", answer.target},
            {"versions", enumerated(answer.versions)},
            {"arrows", join(answer.names, " → ")},
            {"left_out", enumerated(answer.left_out)},
            {"blocked", std::move(blocked)},
            {"drawing", lines(pages.drawing.lines)},
            {"silently_wrong", rows_that_show(Shown::wrong, answer.silent)},
            {"without_effect", rows_that_show(Shown::without_effect, answer.silent)},
            {"pair_table", all(pages.pair_table)},
            {"orders", std::move(orders)},
            {"pairs", data_of(pages.pairs)},
            {"names", transform_names()},
            {"symptoms", all(pages.symptoms)},
            {"transforms", all(pages.transforms)},
            {"engines", all(pages.engines)},
            {"frameworks", all(pages.frameworks)},
            {"own_runs", all(pages.own_runs)},
            {"disagreements", all(pages.disagreements)},
            {"discussions", all(pages.discussions)}};
  data["count"] = data_of(pages.count);
  Json called = Json::array();  // points whose order somebody called natural, recommended or fundamental
  for (const DiscussionView& discussion : pages.discussions)
    for (const PointView& point : discussion.points)
      if (!point.why.empty()) {
        called.push_back(data_of(point));
        called.back()["title"] = point.title.substr(point.title.find(". ") + 2);  // its number is of another page
      }
  data["called"] = std::move(called);
  return data;
}

Json evidence_index_data(const PageContents& pages) { return {{"engines", all(pages.engines)}}; }

Json compared_data(const PageContents& pages) {
  Json contradictions = Json::array(), open = Json::array();
  for (const AgreementView& view : pages.agreements) {
    for (const ContradictionRow& row : view.rows) {
      contradictions.push_back(data_of(row));
      contradictions.back()["engine"] = view.title;
    }
    if (!view.open_cases.empty()) open.push_back({{"engine", view.title}, {"reasons", all(view.open_cases)}});
  }
  return {{"agreements", all(pages.agreements)},
          {"contradiction_rows", std::move(contradictions)},
          {"changes", all(pages.changes)},
          {"between_engines", data_of(pages.between_engines)},
          {"open_on", std::move(open)}};
}

Json rule_index_data(const PageContents& pages) { return {{"rules", all(pages.rules)}}; }

}  // namespace ordercheck
