#include "report/pages/page_data.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/wording.h"
#include "report/pages/markdown.h"
#include "report/pages/traffic_view.h"
#include "report/pages/view_json.h"
#include "stack/notation.h"

namespace ordercheck {

using Json = nlohmann::json;

// Renders values of views as text for the templates.
void to_json(Json& json, const Stack& stack) { json = code(print(stack)); }
void to_json(Json& json, const OrderRun& run) {
  json = {{"target", run.target},
          {"stack", run.stack},
          {"seen", run.seen},
          {"blockers", in_lines(fmt::format("> {}.", join(run.blockers, "; ")), "> ")},
          {"cure", run.cure ? Json(*run.cure) : Json("")},
          {"cure_seen", run.cure_seen},
          {"no_known_cure", run.no_known_cure}};
}
namespace {

std::string build_in_words(const PairTableRow& row) {
  if (row["good"] == "") return "no stack is known that ran equal";
  return breakable_code(row["good"].get<std::string>()) + (row["good_ran"] ? "" : " (not run)");
}

}  // namespace
void to_json(Json& json, const FrameworkRow& row) {
  json = {{"title", row.title},
          {"order", row.order},
          {"source", breakable(row.source)},
          {"recorded", breakable(row.recorded)},
          {"differs", row.differs},
          {"findings", row.findings},
          {"run", row.run}};
}
namespace {

Json data_of(const RecommendedOrder& order) {
  return {{"title", order.title}, {"arrows", join(order.names, " → ")}, {"runs", order.runs}};
}

// A paragraph of a list: continuation lines are indented.
std::string bullet(const std::string& text) { return in_lines("- " + text, "  "); }

Json data_of(const PairView& pair) {
  Json lines = Json::array();
  const std::string instead = pair.good.empty() ? "" : fmt::format("Build {}. ", pair.good);
  if (!pair.turned.empty()) lines.push_back(bullet(fmt::format("{}The other order, {}.", instead, pair.turned)));
  if (!pair.reason.empty()) lines.push_back(bullet(fmt::format("Why: {}.", pair.reason)));
  std::vector<std::string> change;
  if (!pair.needs.empty()) change.push_back(fmt::format("The other order needs {}.", pair.needs));
  if (!pair.elsewhere.empty()) change.push_back(pair.elsewhere);
  if (!pair.said.empty()) change.push_back(fmt::format("#1554 says: {}.", pair.said));
  if (!change.empty()) lines.push_back(bullet(join(change, " ")));
  return {{"title", fmt::format("{}: {}", pair.order, pair.answer)}, {"lines", std::move(lines)}};
}

// A line for each answer: "- *no*: `tp` before `fsdp`, `ep` before `fsdp`".
Json answers_of(const std::vector<PairView>& pairs) {
  std::vector<std::pair<std::string, std::vector<std::string>>> answers;
  for (const PairView& pair : pairs) {
    auto same = std::ranges::find(answers, pair.answer, [](const auto& answer) { return answer.first; });
    if (same == answers.end()) same = answers.insert(same, {pair.answer, {}});
    same->second.push_back(pair.order);
  }
  Json lines = Json::array();
  for (const auto& [answer, orders] : answers) lines.push_back(bullet(fmt::format("*{}*: {}", answer, join(orders, ", "))));
  return lines;
}

Json data_of(const PairMatrix& matrix) {
  Json rows = Json::array();
  for (const PairRow& row : matrix.rows) {
    std::vector<std::string> signs;
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      signs.push_back(matrix.names[i] == row.name ? "" : sign_of(row.cells[i]));
    rows.push_back({{"name", row.name}, {"cells", signs}});
  }
  std::vector<std::string> never_run;
  for (const std::string& name : matrix.never_run) never_run.push_back(code(name));
  return {{"names", matrix.names}, {"rows", std::move(rows)}, {"never_run", join(never_run, ", ")}};
}

Json count_of_pages(const PairTable& table) {
  const auto rows = [&](Shown shown) { return std::to_string(count_of(table, shown)); };
  const std::vector<std::string>& fundamental = table.fundamental;
  return {{"run", counted(table.run, "rule")},
          {"fundamental", fundamental.empty() ? "none names" : counted(std::ssize(fundamental), "names", "name")},
          {"fundamental_pages", join(fundamental, "; ")},
          {"fails", rows(Shown::fails)},
          {"wrong", rows(Shown::wrong)},
          {"without_effect", rows(Shown::without_effect)},
          {"slower", rows(Shown::slower)},
          {"equal", counted(table.equal, "rule")},
          {"not_run", counted(table.not_run, "rule")}};
}

// Breaks the name of a parameter at its dots.
std::string breakable_names(const std::string& text) {
  constexpr std::size_t kLongest = 28;
  std::vector<std::string> words = split(text, ' ');
  for (std::string& word : words)
    if (word.size() > kLongest) word = join(split(word, '.'), ".<wbr>");
  return join(words, " ");
}

// With stacks and names that break: table cells wrap.
Json shown_row(PairTableRow row) {
  row["happens"] = breakable_names(row["happens"].get<std::string>());
  row["good"] = build_in_words(row);
  row["bad"] = breakable_code(row["bad"].get<std::string>());
  return row;
}

Json rows_of(const PairTable& table, bool that_clip) {
  Json rows = Json::array();
  for (const PairTableRow& row : table.rows)
    if (row["clips"] == that_clip) rows.push_back(shown_row(row));
  return rows;
}

}  // namespace

PageContents pages_of(const Sources& sources, const std::vector<EngineRuns>& all) {
  const std::vector<EngineRuns> engines = that_decide(all);
  PageContents pages{.asked = pair_views(sources, engines),
                     .orders = recommended_orders(sources, engines),
                     .pair_table = pair_table(sources, engines),
                     .pairs = pair_matrix(sources, engines),
                     .symptoms = symptoms(sources, engines),
                     .changes = versions_views(sources, engines),
                     .frameworks = framework_rows(sources, engines),
                     .newest = newest_orders(sources.frameworks, sources.topics.project),
                     .own_runs = own_runs(sources.frameworks, engines, sources.rules),
                     .disagreements = disagreements(sources.frameworks)};
  for (const ItemPattern& section : sources.topics.sections)
    pages.transforms.push_back(transform_view(section.name, section.scope, sources, engines));
  pages.answer = order_answer(pages.orders, pages.pair_table, sources, engines);
  if (!pages.orders.empty()) pages.drawing = draw_order(pages.answer.names, sources, engines);
  for (const EngineRuns& engine : all) {
    pages.engines.push_back(engine_view(sources, engine));
    lay_beside(pages.engines.back().sent, sources, engine, all);
  }
  for (const Rule& rule : sources.rules) pages.rules.push_back(rule_page(rule, sources, engines));
  return pages;
}

Json ordering_data(const PageContents& pages) {
  const OrderAnswer& answer = pages.answer;
  Json blocked = Json::array();
  for (const OrderRun& run : answer.blocked) {
    blocked.push_back(run);
    blocked.back()["state"] = in_words(answer.whole_order);
  }
  Json orders = Json::array();
  // The first order is in the headline.
  for (const RecommendedOrder& order : pages.orders | std::views::drop(1)) orders.push_back(data_of(order));
  Json silent = Json::array();
  for (const PairTableRow& row : answer.silent) silent.push_back(shown_row(row));
  Json asked = Json::array();
  for (const PairView& pair : pages.asked) asked.push_back(data_of(pair));
  std::string newest;
  if (!pages.newest.orders.empty())
    newest = fmt::format("**{}** applies, in its code for {}", pages.newest.release, join(pages.newest.orders, ", for "));
  Json data{{"target", answer.target},
            {"versions", enumerated(answer.versions)},
            {"arrows", join(answer.names, " → ")},
            {"left_out", enumerated(answer.left_out)},
            {"blocked", std::move(blocked)},
            {"drawing", pages.drawing.lines},
            {"silent", std::move(silent)},
            {"pair_table", rows_of(pages.pair_table, false)},
            {"clipping_table", rows_of(pages.pair_table, true)},
            {"orders", std::move(orders)},
            {"pairs", data_of(pages.pairs)},
            {"symptoms", pages.symptoms},
            {"transforms", pages.transforms},
            {"asked", std::move(asked)},
            {"answers", answers_of(pages.asked)},
            {"newest", in_lines(newest)}};
  data["count"] = count_of_pages(pages.pair_table);
  return data;
}

Json projects_data(const PageContents& pages) {
  Json releases = Json::array();
  for (const VersionsView& view : pages.changes)
    if (!view.lines.empty()) releases.push_back(view);
  return {{"target", pages.answer.target},
          {"releases", std::move(releases)},
          {"frameworks", pages.frameworks},
          {"own_runs", pages.own_runs},
          {"disagreements", pages.disagreements}};
}

Json evidence_data(const PageContents& pages) {
  Json contradictions = Json::array(), sent = Json::array();
  bool times_graphs = false;
  for (const EngineView& engine : pages.engines) {
    for (const ContradictionRow& row : engine.rows) contradictions.push_back(row);
    for (const SentTable& table : engine.sent) {
      sent.push_back(table);
      times_graphs = times_graphs || !table.taken.empty();
    }
  }
  // A published project's changes are on its own page.
  Json changes = Json::array();
  for (const VersionsView& view : pages.changes)
    if (view.lines.empty()) changes.push_back(view);
  return {{"engines", pages.engines},
          {"contradiction_rows", std::move(contradictions)},
          {"changes", std::move(changes)},
          {"sent", std::move(sent)},
          {"times_graphs", times_graphs}};
}

Json rule_index_data(const PageContents& pages) { return {{"rules", pages.rules}}; }

}  // namespace ordercheck
