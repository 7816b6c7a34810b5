#include "report/page_data.h"

#include <nlohmann/json.hpp>

#include "base/text.h"
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

Json data_of(const RecommendedOrder& order) {
  Json reasons = Json::array();
  for (const PairReason& r : order.reasons)
    reasons.push_back({{"pair", r.pair},
                       {"rule", r.rule},
                       {"reason", r.reason},
                       {"cite", r.cite},
                       {"basis", r.basis},
                       {"harm", r.harm},
                       {"standings", join(r.standings, "<br>")}});
  Json runs = Json::array();
  for (const OrderRun& run : order.runs)
    runs.push_back({{"target", run.target},
                    {"stack", code(print(run.stack))},
                    {"seen", run.seen},
                    {"blockers", run.blockers.empty() ? "nothing" : join(run.blockers, "<br>")},
                    {"cure", run.cure ? code(print(*run.cure)) : ""},
                    {"cure_seen", run.no_known_cure ? join({run.cure_seen, "no known cure"}, run.cure ? ": " : "") : run.cure_seen}});
  return {{"title", order.title}, {"order", order.order}, {"reasons", std::move(reasons)}, {"runs", std::move(runs)}};
}

Json data_of(const PairMatrix& matrix) {
  Json names = Json::array(), rows = Json::array();
  for (const std::string& name : matrix.names) names.push_back({{"name", name}});
  for (const PairRow& row : matrix.rows) {
    Json cells = Json::array();
    for (const PairCell& cell : row.cells) cells.push_back({{"text", cell.text}});
    rows.push_back({{"name", row.name}, {"cells", std::move(cells)}});
  }
  return {{"names", std::move(names)}, {"rows", std::move(rows)}};
}

Json data_of(const RunRow& row) {
  return {{"order", row.order}, {"whole", row.whole}, {"verdict", row.verdict},     {"phase", row.phase},
          {"seen", row.seen},   {"rules", row.rules}, {"mechanism", row.mechanism}};
}

Json data_of(const CostRow& row) {
  return {{"order", row.order}, {"cells", texts(row.cells)}};
}

Json data_of(const TrafficRow& row) {
  return {{"order", row.order},     {"kind", row.kind},           {"group", row.group},
          {"forward", row.forward}, {"recompute", row.recompute}, {"backward", row.backward},
          {"optimizer", row.optimizer}, {"elsewhere", row.elsewhere}, {"bytes", row.bytes}};
}

Json data_of(const ContradictionRow& row) {
  return {{"where", row.where},
          {"what", row.what},
          {"claimed", row.claimed},
          {"seen", row.seen},
          {"explanation", row.explanation}};
}

Json data_of(const FrameworkRow& row) {
  return {{"title", row.title}, {"order", row.order},     {"source", row.source},     {"date", row.date},
          {"says", row.says},   {"differs", row.differs}, {"findings", row.findings}, {"runs", join(row.runs, "<br>")}};
}

Json data_of(const Disagreement& d) {
  return {{"pair", d.pair}, {"first_before", d.first_before}, {"second_before", d.second_before}};
}

Json data_of(const PointRule& rule) {
  return {{"rule", rule.link},   {"title", rule.title}, {"basis", rule.basis},
          {"harm", rule.harm},   {"holds", rule.holds}, {"standings", join(rule.standings, "<br>")}};
}

Json data_of(const PointLine& line) {
  return {{"name", line.name}, {"cells", texts(line.cells)}, {"same", line.same}};
}

Json data_of(const PointRuns& runs);
Json data_of(const PointView& point);
Json data_of(const ThreadView& thread);

Json data_of(const ChangedRow& row) {
  return {{"order", row.order}, {"cells", texts(row.cells)}, {"rules", row.rules}};
}

Json data_of(const DisagreementRow& row) {
  return {{"order", row.order}, {"cells", texts(row.cells)}, {"explanation", row.explanation}};
}

Json data_of(const SetRow& row) {
  return {{"order", row.order}, {"verdict", row.verdict}, {"rules", row.rules}, {"same", row.same}, {"cells", texts(row.cells)}};
}

Json data_of(const SetView& set);

template <class T>
Json all(const std::vector<T>& values) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(data_of(value));
  return list;
}

Json data_of(const SetView& set) {
  return {{"title", set.title}, {"counters", texts(set.counters)}, {"alike", set.alike}, {"rows", all(set.rows)}};
}

Json data_of(const EnginesView& view) {
  return {{"engines", texts(view.engines)}, {"same", view.same}, {"rows", all(view.rows)}};
}

Json data_of(const PointRuns& runs) {
  return {{"target", runs.target},
          {"not_run", runs.not_run},
          {"list", join(runs.stacks, ", ")},
          {"stacks", texts(runs.stacks)},
          {"several", runs.stacks.size() > 1},
          {"lines", all(runs.lines)},
          {"apart", runs.apart}};
}

Json data_of(const PointView& point) {
  return {{"title", point.title},
          {"pair", point.pair},
          {"by", point.by},
          {"date", point.date},
          {"says", point.says},
          {"basis_said", point.basis_said},
          {"bases", join(point.bases, "<br>")},
          {"verdicts", join(point.verdicts, "<br>")},
          {"rules", all(point.rules)},
          {"runs", all(point.runs)},
          {"answer", point.answer}};
}

Json data_of(const ThreadView& thread) {
  return {{"title", thread.title}, {"url", thread.url}, {"points", all(thread.points)}};
}

// What every word of a stack stands for, from the catalogue.
Json transform_lines() {
  Json list = Json::array();
  for (const TransformInfo& info : transforms())
    list.push_back({{"name", info.name}, {"nested", info.nested}, {"title", info.title}});
  return list;
}

}  // namespace

OrderingPage ordering_page(const Sources& sources, const std::vector<ObservedEngine>& engines) {
  OrderingPage page{.target = print(reader_target(sources)),
                    .threads = thread_views(sources, engines),
                    .orders = recommended_orders(sources, engines),
                    .pairs = pair_matrix(sources, engines),
                    .versions = versions_views(sources, engines),
                    .between_engines = engines_view(sources, engines),
                    .frameworks = framework_rows(sources, engines),
                    .disagreements = disagreements(sources.frameworks),
                    .stated = stated_contradictions(sources.rules)};
  for (const ObservedEngine& engine : engines) page.engines.push_back(engine_view(sources, engine));
  for (const Rule& rule : sources.rules) page.rules.push_back(rule_page(rule, sources, engines));
  return page;
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
          {"bad_name", page.bad_name},
          {"good_name", page.good_name},
          {"what", page.what},
          {"why", page.why},
          {"limits", page.limits},
          {"standings", std::move(standings)},
          {"grades", join(grades, "<br>")},
          {"citations", lines(page.citations)},
          {"expectations", lines(page.expectations)}};
}

Json data_of(const EngineView& view) {
  return {{"title", view.title},
          {"versions", view.versions},
          {"arithmetic", view.arithmetic},
          {"builds", view.builds},
          {"cases", view.cases},
          {"verdicts", view.verdicts},
          {"agreement", view.agreement},
          {"controls", lines(view.controls)},
          {"orders_of", view.orders_of},
          {"runs", all(view.runs)},
          {"cost_names", texts(view.cost_names)},
          {"sets", all(view.sets)},
          {"costs", all(view.costs)},
          {"traffic", all(view.traffic)},
          {"contradictions", all(view.contradictions)},
          {"undecided", lines(view.undecided)},
          {"open", lines(view.open)},
          {"not_planned", lines(view.not_planned)}};
}

Json data_of(const VersionsView& view) {
  return {{"engine", view.engine}, {"versions", texts(view.versions)}, {"same", view.same}, {"rows", all(view.rows)}};
}

Json data_of(const OrderingPage& page) {
  return {{"target", page.target},
          {"transforms", transform_lines()},
          {"threads", all(page.threads)},
          {"orders", all(page.orders)},
          {"pairs", data_of(page.pairs)},
          {"engines", all(page.engines)},
          {"versions", all(page.versions)},
          {"between_engines", data_of(page.between_engines)},
          {"frameworks", all(page.frameworks)},
          {"disagreements", all(page.disagreements)},
          {"stated", all(page.stated)},
          {"rules", all(page.rules)}};
}

}  // namespace ordercheck
