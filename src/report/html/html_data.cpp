#include "report/html/html_data.h"

#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/bits.h"
#include "base/text.h"
#include "base/wording.h"
#include "matrix/orders.h"
#include "matrix/plan_result.h"
#include "record/evidence_fields.h"
#include "record/verdict.h"
#include "report/pages/engine_runs.h"
#include "report/pages/framework_view.h"
#include "report/pages/order_view.h"
#include "report/pages/rule_view.h"
#include "report/pages/shown.h"
#include "report/pages/versions_view.h"
#include "report/pages/view_json.h"
#include "report/text/summary.h"
#include "rules/precedence.h"
#include "stack/notation.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

using Json = nlohmann::ordered_json;

void put(Json& object, const char* name, const std::string& text) {
  if (!text.empty()) object[name] = text;
}

// Collects the precedence graphs of stacks and targets, each once.
class Graphs {
 public:
  explicit Graphs(const Sources& sources) : sources_(sources) {}

  std::size_t index_of(const Stack& stack, const Target& target) {
    const auto key = std::pair(print(target), print(stack));
    if (const auto known = indices_.find(key); known != indices_.end()) return known->second;
    Json items = Json::array();
    for (const Item& item : stack.items) items.push_back(print(Stack{.items = {item}}));
    const PrecedenceGraph graph = precedence_graph(stack, judge_of(target));
    Json edges = Json::array();
    // Only an acyclic graph has a transitive reduction.
    for (const PrecedenceEdge& edge : graph.cycle.empty() ? irreducible_edges(graph) : graph.edges)
      edges.push_back({edge.before, edge.after, edge.is_error, join(edge.rules, ", ")});
    list_.push_back({{"items", std::move(items)}, {"edges", std::move(edges)}});
    return indices_[key] = list_.size() - 1;
  }

  Json list() && { return std::move(list_); }

 private:
  const Judge& judge_of(const Target& target) {
    const auto known = judges_.find(print(target));
    if (known != judges_.end()) return known->second;
    return judges_.try_emplace(print(target), sources_.rules, target, sources_.observations).first->second;
  }

  const Sources& sources_;
  std::map<std::string, Judge> judges_;
  std::map<std::pair<std::string, std::string>, std::size_t> indices_;
  Json list_ = Json::array();
};

// Collects the scripts of the cases that have one, each once.
class Scripts {
 public:
  explicit Scripts(const ReproScripts* scripts)
      : scripts_(scripts != nullptr && scripts->by_case.empty() ? nullptr : scripts) {}

  void put_into(Json& object, const Case& subject) {
    if (scripts_ == nullptr) return;
    const std::string text = print(with_usual_arithmetic(subject));
    const auto found = scripts_->by_case.find(text);
    if (found == scripts_->by_case.end()) return;
    put(object, "no_script", found->second.declined);
    if (!found->second.declined.empty()) return;
    const auto [known, is_new] = indices_.try_emplace(text, list_.size());
    if (is_new) list_.push_back(found->second.pieces);
    object["script"] = known->second;
  }

  Json all() && { return scripts_ == nullptr ? Json() : Json{{"pieces", scripts_->pieces}, {"cases", std::move(list_)}}; }

 private:
  const ReproScripts* scripts_;
  std::map<std::string, std::size_t> indices_;
  Json list_ = Json::array();
};

// The build already names the engine.
std::string case_without_engine(const Case& c) {
  const std::string text = print(c);
  const std::string engine = " engine=" + c.engine;
  const auto at = text.find(engine);
  return at == std::string::npos ? text : text.substr(0, at) + text.substr(at + engine.size());
}

Json tally_json(const EngineRuns& engine) {
  const Tally tally = tally_of(engine.outcomes, engine.table.controls);
  Json verdicts = Json::object();
  for (const auto& [verdict, count] : tally.verdicts) verdicts[name_of(verdict)] = count;
  return {{"verdicts", std::move(verdicts)},
          {"confirmed", tally.confirmed},
          {"open", tally.open},
          {"explained", tally.explained},
          {"contradictions", tally.contradictions},
          {"undecided", tally.undecided},
          {"controls_failed", tally.controls_failed}};
}

Json json_of(const Difference& difference) {
  Json object{{"what", difference.what}, {"step", difference.step}};
  if (difference.rank >= 0) object["rank"] = difference.rank;
  const bool is_hash = parse_hash128(difference.got) && parse_hash128(difference.expected);
  if (is_hash) return object;  // a tensor: the message gives its distance
  const auto numbers = numbers_of(difference);
  object["expected"] = numbers ? numbers->expected : difference.expected;
  object["got"] = numbers ? numbers->got : difference.got;
  put(object, "apart", numbers ? numbers->apart : "");
  return object;
}

Json case_json(const Outcome& outcome, const Target& target, Graphs& graphs, Scripts& scripts) {
  const Observation& seen = outcome.seen;
  Json c{{"text", case_without_engine(outcome.subject)}};
  std::set<std::string> names;
  for (const Item& item : outcome.subject.stack.items) names.insert(item.name);
  c["transforms"] = names;
  c["verdict"] = name_of(seen.verdict);
  c["words"] = verdict_in_words(seen);
  c["agreement"] = name_of(outcome.agreement);
  c["prediction"] = prediction_text(outcome);
  put(c, "by", outcome.prediction.rule);
  if (!outcome.prediction.fired.empty()) c["fired"] = outcome.prediction.fired;
  put(c, "disagreement", outcome.disagreement);
  put(c, "explanation", outcome.explanation);
  put(c, "open_because", outcome.open_because);
  put(c, "message", reason_of(seen));
  put(c, "place", place_of(seen));
  if (seen.difference) c["difference"] = json_of(*seen.difference);
  put(c, "effects", seen.effects.empty() ? "" : print_effects(seen.effects));
  if (seen.ending == Ending::completed) {
    put(c, "counters", print_counters(seen.counters));
    put(c, "collectives", print_collectives(seen.collectives));
  }
  put(c, "backend", seen.backend);
  c["graph"] = graphs.index_of(outcome.subject.stack, target);
  if (is_worth_a_script(seen.verdict)) scripts.put_into(c, outcome.subject);
  return c;
}

Json pairs_json(const EngineRuns& engine, const Sources& sources) {
  std::vector<std::string> names;
  const std::vector<std::string> known = known_transforms(sources.rules);
  for (const std::string& name : known)
    if (std::ranges::any_of(known, [&](const std::string& other) {
          return other != name && (pair_run(name, other, engine) != nullptr || pair_run(other, name, engine) != nullptr);
        }))
      names.push_back(name);
  Json rows = Json::array();
  for (const std::string& first : names) {
    Json row = Json::array();
    for (const std::string& second : names) {
      const Outcome* run = first == second ? nullptr : pair_run(first, second, engine);
      if (run == nullptr)
        row.push_back({sign_of(Shown::not_run), -1});
      else
        // The pointer difference is the run's index in `cases`.
        row.push_back({sign_of(shown_by(*run, sources, engine.target)), run - engine.outcomes.data()});
    }
    rows.push_back(std::move(row));
  }
  return {{"names", names}, {"rows", std::move(rows)}};
}

Json build_json(const EngineRuns& engine, const Sources& sources, Graphs& graphs, Scripts& scripts) {
  Json controls = Json::array();
  for (const Control& control : engine.table.controls)
    controls.push_back({{"name", control.name},
                        {"held", !control.judged ? "not judged"
                                 : control.held  ? "held"
                                                 : "failed"},
                        {"evidence", control.evidence}});
  Json cases = Json::array();
  for (const Outcome& outcome : engine.outcomes) cases.push_back(case_json(outcome, engine.target, graphs, scripts));
  return {{"id", fmt::format("{}/{}", engine.table.engine, build_of(engine.table))},
          {"title", print_engine(engine)},
          {"engine", engine.table.engine},
          {"version", engine.target.version ? print(*engine.target.version) : ""},
          {"device", engine.table.device},
          {"target", print(engine.target)},
          {"versions", join(engine.table.versions, ", ")},
          {"controls", std::move(controls)},
          {"tally", tally_json(engine)},
          {"pairs", pairs_json(engine, sources)},
          {"cases", std::move(cases)}};
}

Json transforms_json(const std::vector<EngineRuns>& engines) {
  std::set<std::string> used;
  for (const EngineRuns& engine : engines)
    for (const Outcome& outcome : engine.outcomes)
      for (const Item& item : outcome.subject.stack.items) used.insert(item.name);
  Json list = Json::array();
  for (const TransformInfo& info : transforms())
    if (used.contains(info.name)) list.push_back({{"name", info.name}, {"title", info.title}});
  return list;
}

Json json_of(const RecommendedOrder& order, const Target& target, Graphs& graphs) {
  Stack stack;
  for (const std::string& name : order.names) stack.items.push_back(item_named(name));
  return {{"title", order.title},
          {"names", order.names},
          {"graph", graphs.index_of(stack, target)},
          {"reasons", order.reasons},
          {"gaps", order.gaps}};
}

Json json_of(const OrderRun& blocked, Shown whole_order) {
  Json object{{"stack", print(blocked.stack)},
              {"sign", sign_of(whole_order)},
              {"state", in_words(whole_order)},
              {"blockers", join(blocked.blockers, "; ")},
              {"no_known_cure", blocked.no_known_cure}};
  if (blocked.cure) object["cure"] = print(*blocked.cure);
  put(object, "cure_seen", blocked.cure_seen);
  return object;
}

Json json_of(const OrderAnswer& answer) {
  Json blocked = Json::array(), silent = Json::array();
  for (const OrderRun& run : answer.blocked) blocked.push_back(json_of(run, answer.whole_order));
  for (const PairTableRow& row : answer.silent)
    silent.push_back({{"sign", sign_of(*find_named<Shown>(row["shown"].get<std::string>()))},
                      {"bad", row["bad"]},
                      {"good", row["good"]},
                      {"happens", row["happens"]},
                      {"page", row["page"]},
                      {"since", row["since"]}});
  return {{"versions", enumerated(answer.versions)},
          {"names", answer.names},
          {"left_out", enumerated(answer.left_out)},
          {"blocked", std::move(blocked)},
          {"silent", std::move(silent)}};
}

Json projects_json(const Sources& sources, const std::vector<EngineRuns>& engines, Graphs& graphs) {
  const std::vector<FrameworkRow> rows = framework_rows(sources, engines);
  Json list = Json::array();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const FrameworkRow& row = rows[i];
    std::vector<std::string> items;
    for (const Item& item : sources.frameworks[i].order.items) items.push_back(print(Stack{.items = {item}}));
    list.push_back({{"title", row.title},
                    {"items", items},
                    {"source", row.source},
                    {"recorded", row.recorded},
                    {"date", row.date},
                    {"says", row.says},
                    {"differs", row.differs},
                    {"findings", row.findings},
                    {"run", row.run},
                    {"graph", graphs.index_of(with_degrees(sources.frameworks[i].order), reader_target(sources))}});
  }
  return list;
}

}  // namespace

Json html_data(const Sources& sources, const ReproScripts* reproduced) {
  const std::vector<EngineRuns> engines = that_decide(engine_runs_of(sources));
  Graphs graphs(sources);
  Scripts scripts(reproduced);
  Json data{{"target", print(reader_target(sources))}, {"transforms", transforms_json(engines)}};
  Json builds = Json::array(), orders = Json::array(), rules = Json::array();
  for (const EngineRuns& engine : engines) builds.push_back(build_json(engine, sources, graphs, scripts));
  const std::vector<RecommendedOrder> recommended = recommended_orders(sources, engines);
  for (const RecommendedOrder& order : recommended) orders.push_back(json_of(order, reader_target(sources), graphs));
  for (const Rule& rule : sources.rules) rules.push_back(rule_page(rule, sources, engines));
  data["answer"] = json_of(order_answer(recommended, pair_table(sources, engines), sources, engines));
  data["builds"] = std::move(builds);
  data["changes"] = versions_views(sources, engines);
  data["orders"] = std::move(orders);
  data["projects"] = projects_json(sources, engines, graphs);
  data["own_runs"] = own_runs(sources.frameworks, engines, sources.rules);
  data["disagreements"] = disagreements(sources.frameworks);
  data["rules"] = std::move(rules);
  data["scripts"] = std::move(scripts).all();
  data["graphs"] = std::move(graphs).list();
  return data;
}

}  // namespace ordercheck
