#include "report/text/summary.h"

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/wording.h"
#include "record/counters.h"
#include "record/verdict.h"
#include "report/text/failed_in.h"
#include "report/text/tally_json.h"
#include "stack/mesh.h"

namespace ordercheck {
namespace {

std::string sources_text(const std::vector<Source>& sources) {
  std::vector<std::string> parts;
  for (const Source& source : sources) parts.push_back(print(source));
  return join(parts, ", ");
}

// With more cases than kMostCasesListed, only --verbose lists each, and the text has at most 30 lines: five contradictions of two lines
// and three of every other kind, each with a line for the rest, two lines of counts, four controls and the last line.
constexpr std::size_t kMostCasesListed = 20;
constexpr std::size_t kMostContradictions = 5;
constexpr std::size_t kMostOfAKind = 3;

// The first `most` of the texts, and how many more there are.
std::string first_of(const std::vector<std::string>& texts, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(most, texts.size()); ++i) text += texts[i];
  if (texts.size() > most) text += fmt::format("{:<15}{} more such\n", "", texts.size() - most);
  return text;
}

std::vector<std::string> not_planned_lines(const Plan& plan) {
  std::vector<std::string> lines;
  for (const auto& [reason, count] : reasons_not_planned(plan))
    lines.push_back(fmt::format("not planned    {}: {}\n", counted(count, "case"), reason));
  return lines;
}

void add_field(std::string& text, const char* name, const std::string& value) {
  if (!value.empty()) text += fmt::format("  {:<12} {}\n", name, value);
}

void add_list(std::string& text, const char* name, const std::vector<std::string>& lines) {
  for (std::size_t i = 0; i < lines.size(); ++i) add_field(text, i == 0 ? name : "", lines[i]);
}

// One line per counter that is not zero.
std::vector<std::string> counter_lines(const Counters& counters) {
  std::vector<std::string> lines;
  for (const auto& [name, value] : kCounters) {
    if (!is_measured(counters.*value))
      lines.push_back(fmt::format("{} not measured", name));
    else if (counters.*value != 0)
      lines.push_back(fmt::format("{}={}", name, counters.*value));
  }
  return lines;
}

// "gradient of layers.0.wq.weight in step 0: 9.3e-07, noise floor 7.6e-07 (1.2 times)"
std::vector<std::string> farthest_lines(const Closeness& closeness) {
  std::vector<std::string> lines;
  for (const Held& held : closeness.farthest)
    lines.push_back(fmt::format("{}: {:.1e}, noise floor {:.1e} ({:.1f} times)", place_of(held.away), distance_of(held.away),
                                held.floor, times_floor(held)));
  return lines;
}

// What is predicted and what is seen; with `in_full` also where the difference begins and what explains it.
std::string contradiction_text(const CaseResult& result, bool in_full) {
  const Outcome& outcome = result.outcome;
  std::string text = fmt::format("contradiction  {}: {}\n", print(outcome.subject), outcome.disagreement);
  text += fmt::format("               {}\n", reason_of(result));
  if (!in_full) return text;
  if (result.divergence) text += fmt::format("               first in {}\n", in_words(*result.divergence));
  if (!result.right_without.empty())
    text += fmt::format("               right without {}\n", join(result.right_without, " or "));
  if (!outcome.explanation.empty()) text += fmt::format("               explained: {}\n", outcome.explanation);
  return text;
}

std::string why_open(const Outcome& outcome) {
  if (!outcome.open_because.empty()) return outcome.open_because;
  const std::vector<std::string>& fired = outcome.prediction.fired;
  if (outcome.prediction.verdict)
    return "without exact arithmetic a layout need not be bitwise equal to the single-rank reference";
  return fmt::format("no rule speaks about this engine and version ({} {} about others)", join(fired, ", "),
                     fired.size() == 1 ? "speaks" : "speak");
}

std::string world_text(const Case& c) {
  const Mesh mesh = mesh_of(c.stack);
  std::vector<std::string> axes;
  for (std::size_t i = 0; i < kMeshAxes.size(); ++i)
    if (mesh.degrees[i] > 1) axes.push_back(fmt::format("{} {}", kMeshAxes[i], mesh.degrees[i]));
  const int ranks = world_size(mesh);
  return fmt::format("{}{}", counted(ranks, "rank"), axes.empty() ? "" : " (" + join(axes, ", ") + ")");
}

const char* word_of(const Control& control) { return !control.judged ? "not judged" : control.held ? "held" : "FAILED"; }

// One line per case: verdict, agreement with the rules, and the reason unless equal.
std::string verdict_lines(const std::vector<CaseResult>& results) {
  std::size_t width = 0;
  for (const CaseResult& result : results) width = std::max(width, print(result.planned.subject).size());
  std::string text;
  for (const CaseResult& result : results) {
    const Outcome& outcome = result.outcome;
    const bool equal = outcome.seen.verdict == Verdict::equal;
    text += fmt::format("{:<{}}  {:<8} {}{}{}{}\n", print(outcome.subject), width, name_of(outcome.seen.verdict),
                        name_of(outcome.agreement), outcome.prediction.rule.empty() ? "" : " by " + outcome.prediction.rule,
                        outcome.open_because.empty() ? "" : ", " + outcome.open_because, equal ? "" : ": " + reason_of(result));
  }
  return text;
}

}  // namespace

std::string reason_of(const CaseResult& result) {
  const Verdict verdict = result.outcome.seen.verdict;
  const bool ended_early = verdict == Verdict::fails || verdict == Verdict::hangs;
  return ended_early ? ending_in_words(result.record) : result.outcome.seen.message;
}

std::string prediction_text(const Outcome& outcome) {
  const Prediction& p = outcome.prediction;
  std::string text;
  if (!p.verdict)
    text = fmt::format("nothing for this engine and version ({} elsewhere)", join(p.fired, ", "));
  else if (p.rule.empty())
    text = "equal: no rule flags it";
  else
    text = fmt::format("{}, by {}", name_of(*p.verdict), p.rule);
  const std::string& because = outcome.open_because;
  return fmt::format("{} [{}{}]", text, name_of(outcome.agreement), because.empty() ? "" : "; " + because);
}

std::string render_plan_text(const Plan& plan) {
  std::size_t width = 0;
  for (const PlannedCase& planned : plan.cases) width = std::max(width, print(planned.subject).size());
  for (const NotPlanned& one : plan.not_planned) width = std::max(width, print(one.subject).size());
  std::string text;
  for (const PlannedCase& planned : plan.cases)
    text += fmt::format("{:<{}}  {}\n", print(planned.subject), width, sources_text(planned.sources));
  for (const NotPlanned& one : plan.not_planned)
    text += fmt::format("{:<{}}  {}; not planned: {}\n", print(one.subject), width, sources_text(one.sources), one.reason);
  text += fmt::format("{} planned on {}, {} not{}\n", counted(plan.cases.size(), "case"), plan.engine, plan.not_planned.size(),
                      plan.only_in_full == 0 ? "" : fmt::format("; {} more with --tier full", plan.only_in_full));
  return text + join(not_planned_lines(plan), "");
}

std::string render_result_text(const PlanResult& result, bool verbose) {
  const Tally tally = tally_of(result);
  const bool lists_cases = verbose || result.cases.size() <= kMostCasesListed;
  const std::size_t most = lists_cases ? std::string::npos : kMostOfAKind;
  std::vector<std::string> contradictions, undecided, open, controls;
  for (const CaseResult& one : result.cases) {
    if (one.outcome.agreement == Agreement::contradiction) contradictions.push_back(contradiction_text(one, lists_cases));
    if (one.outcome.agreement == Agreement::undecided)
      undecided.push_back(
          fmt::format("{:<15}{}: {}\n", name_of(one.outcome.seen.verdict), print(one.planned.subject), reason_of(one)));
  }
  const auto reasons = open_cases(outcomes_of(result));
  std::vector<std::pair<std::string, std::vector<Case>>> by_number(reasons.begin(), reasons.end());
  std::ranges::stable_sort(by_number, std::greater<>{}, [](const auto& reason) { return reason.second.size(); });
  for (const auto& [why, cases] : by_number) {
    open.push_back(fmt::format("open           {}: {}\n", counted(std::ssize(cases), "case"), why));
    for (const Case& c : cases)
      if (lists_cases) open.back() += fmt::format("                 {}\n", print(c));
  }
  for (const Control& control : result.controls)
    controls.push_back(fmt::format("control        {} {}: {}\n", control.name, word_of(control), control.evidence));
  std::vector<std::string> verdicts;
  for (const auto& [verdict, count] : tally.verdicts) verdicts.push_back(fmt::format("{} {}", count, name_of(verdict)));

  std::string text = first_of(contradictions, lists_cases ? most : kMostContradictions) + first_of(undecided, most);
  if (lists_cases) text += verdict_lines(result.cases);
  text += fmt::format("{} on {} ({}): {}\n", counted(std::ssize(result.cases), "case"), result.hello.engine,
                      join(result.hello.versions, ", "), verdicts.empty() ? "nothing ran" : join(verdicts, ", "));
  text += fmt::format("{} confirmed, {} open, {} explained by a rule, {} not explained, {} undecided\n", tally.confirmed,
                      tally.open, counted(tally.explained, "contradiction"), tally.contradictions, tally.undecided);
  text += first_of(open, most) + first_of(controls, std::string::npos) + first_of(not_planned_lines(result.plan), most);
  return lists_cases ? text : text + "--verbose lists every case\n";
}

// "30 all_gather on dp_shard in backward", of the user's own functions: no rule says which collectives they should issue. Only
// of training: in the other phases the engine gathers what it compares.
std::vector<std::string> collective_lines(const Outcome& outcome) {
  std::vector<std::string> lines;
  if (outcome.subject.apply.empty() && outcome.subject.step.empty()) return lines;
  for (const CollectiveCount& one : outcome.seen.collectives)
    if (one.phase >= Phase::forward && one.phase <= Phase::optimizer)
      lines.push_back(fmt::format("{} {} on {} in {}", one.count, one.kind, one.group, name_of(one.phase)));
  return lines;
}

std::string render_case_text(const CaseResult& result, const Hello& hello) {
  const Outcome& outcome = result.outcome;
  const Case& subject = outcome.subject;
  std::string text = fmt::format("{}: {}\n  {}\n", print(subject), name_of(outcome.seen.verdict), reason_of(result));
  if (result.record.failure) add_field(text, "happened in", failed_in(subject, result.record.failure->phase));
  add_field(text, "persists", result.persistence);
  if (result.closeness) add_list(text, "farthest", farthest_lines(*result.closeness));
  if (result.divergence) add_field(text, "first in", in_words(*result.divergence));
  add_field(text, "factor", result.factor);
  add_field(text, "right without", join(result.right_without, " or "));
  add_field(text, "left out", result.left_out);
  add_field(text, "clipping", result.clipping);
  if (result.record.failure) add_list(text, "where", result.record.failure->ranks);
  std::vector<std::string> effects;
  for (const Effect& effect : outcome.seen.effects)
    effects.push_back(is_lost(effect) ? loss_in_words(effect) : fmt::format("{}: {}", effect.transform, print(effect.signs)));
  add_list(text, "effects", effects);
  add_list(text, "collectives", collective_lines(outcome));
  if (outcome.seen.ending == Ending::completed) add_list(text, "counters", counter_lines(outcome.seen.counters));
  add_list(text, "notes", result.record.notes);
  add_field(text, "predicted", prediction_text(outcome));
  if (outcome.agreement == Agreement::contradiction) add_field(text, "", outcome.disagreement);
  add_field(text, "explained", outcome.explanation);
  add_field(text, "world", world_text(subject));
  add_field(
      text, "engine",
      fmt::format("{} ({}), {} arithmetic", hello.engine, join(hello.versions, ", "), name_of(subject.settings.arithmetic)));
  return text;
}

std::string render_evidence_text(const EvidenceTable& table) {
  std::size_t width = 0;
  for (const Observation& row : table.rows) width = std::max(width, row.case_text.size());
  std::string text = fmt::format("{} ({}), {}, {} arithmetic: {}\n", table.engine, join(table.versions, ", "), table.device,
                                 table.arithmetic, counted(table.rows.size(), "case"));
  for (const Control& control : table.controls)
    text += fmt::format("control {} {}: {}\n", control.name, word_of(control), control.evidence);
  for (const Observation& row : table.rows) {
    std::string line = fmt::format("{:<{}}  {:<8}", row.case_text, width, name_of(row.verdict));
    if (row.phase) line += fmt::format(" in {}", name_of(*row.phase));
    if (const std::string place = place_of(row); !place.empty()) line += ", " + place;
    if (row.verdict != Verdict::equal && !row.message.empty()) line += ": " + reason_of(row);
    // Trim the padding after short verdicts.
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::map<std::string, std::vector<Case>> open_cases(const std::vector<Outcome>& outcomes) {
  std::map<std::string, std::vector<Case>> cases;
  for (const Outcome& outcome : outcomes)
    if (outcome.agreement == Agreement::open) cases[why_open(outcome)].push_back(outcome.subject);
  return cases;
}

namespace {

using Json = nlohmann::ordered_json;

Json sources_json(const std::vector<Source>& sources) {
  Json list = Json::array();
  for (const Source& source : sources) list.push_back(print(source));
  return list;
}

Json not_planned_json(const Plan& plan) {
  Json list = Json::array();
  for (const NotPlanned& one : plan.not_planned)
    list.push_back({{"case", print(one.subject)}, {"sources", sources_json(one.sources)}, {"reason", one.reason}});
  return list;
}

Json held_json(const Held& held) {
  return {{"what", place_of(held.away)}, {"distance", distance_of(held.away)}, {"noise_floor", held.floor}};
}

Json closeness_json(const Closeness& closeness) {
  Json farthest = Json::array(), beyond = Json::array();
  for (const Held& held : closeness.farthest) farthest.push_back(held_json(held));
  for (const Held& held : closeness.beyond) beyond.push_back(held_json(held));
  return {{"no_floor", closeness.no_floor}, {"far_beyond", kFarBeyond}, {"farthest", farthest}, {"beyond", beyond}};
}

Json effects_json(const std::vector<Effect>& effects) {
  Json list = Json::array();
  for (const Effect& effect : effects)
    list.push_back({{"transform", effect.transform},
                    {"defined", effect.defined},
                    {"present", effect.present},
                    {"partly", effect.partly},
                    {"evidence", print(effect.signs)}});
  return list;
}

Json counters_json(const Counters& counters) {
  Json values = Json::object();
  for (const auto& [name, value] : kCounters) {
    const std::int64_t count = counters.*value;
    values[name] = is_measured(count) ? Json(count) : Json("not measured");
  }
  return values;
}

Json divergence_json(const Divergence& d) {
  return {{"step", d.step},
          {"phase", name_of(d.phase)},
          {"module", d.module},
          {"ulp", d.ulp},
          {"elements", d.elements},
          {"differing", d.differing},
          {"owed_largest", d.owed_largest},
          {"got_largest", d.got_largest},
          {"apart", d.apart},
          {"owed_shape", d.owed_shape},
          {"got_shape", d.got_shape}};
}

Json case_json(const CaseResult& result) {
  const Outcome& outcome = result.outcome;
  const Observation& seen = outcome.seen;
  const Prediction& p = outcome.prediction;
  Json json{{"case", print(outcome.subject)},
            {"sources", sources_json(result.planned.sources)},
            {"verdict", name_of(seen.verdict)},
            {"reason", reason_of(result)},
            {"ending", name_of(seen.ending)},
            {"effects", effects_json(seen.effects)},
            {"predicted", p.verdict ? Json(name_of(*p.verdict)) : Json()},
            {"rule", p.rule},
            {"fired", p.fired},
            {"agreement", name_of(outcome.agreement)},
            {"disagreement", outcome.disagreement},
            {"open_because", outcome.open_because},
            {"explanation", outcome.explanation},
            {"persistence", result.persistence},
            {"right_without", result.right_without},
            {"counters", counters_json(seen.counters)},
            {"range_used", result.record.range_used},
            {"digest", hex(seen.digest)}};
  if (const auto& failure = result.record.failure)
    json["failure"] = {{"phase", name_of(failure->phase)}, {"rank", failure->rank},   {"module", failure->module},
                       {"operation", failure->operation},  {"group", failure->group}, {"sequence", failure->sequence},
                       {"message", failure->message},      {"ranks", failure->ranks}};
  if (const auto& d = seen.difference)  // bits of numbers, or hashes of tensors
    json["difference"] = {{"what", d->what}, {"step", d->step}, {"rank", d->rank}, {"expected", d->expected}, {"got", d->got}};
  if (result.closeness) json["closeness"] = closeness_json(*result.closeness);
  if (result.divergence) json["divergence"] = divergence_json(*result.divergence);
  if (!result.factor.empty()) json["factor"] = result.factor;
  if (!result.left_out.empty()) json["left_out"] = result.left_out;
  if (!result.clipping.empty()) json["clipping"] = result.clipping;
  return json;
}

}  // namespace

std::string render_plan_json(const Plan& plan) {
  Json cases = Json::array();
  for (const PlannedCase& planned : plan.cases)
    cases.push_back({{"case", print(planned.subject)}, {"sources", sources_json(planned.sources)}});
  return Json{{"schema", "ordercheck/matrix-list/1"},
              {"engine", plan.engine},
              {"cases", cases},
              {"not_planned", not_planned_json(plan)},
              {"only_in_full", plan.only_in_full}}
             .dump(2) +
         "\n";
}

std::string render_result_json(const PlanResult& result) {
  Json outcomes = Json::array();
  for (const CaseResult& one : result.cases) outcomes.push_back(case_json(one));
  Json json{{"schema", "ordercheck/matrix-run/1"}, {"engine", result.hello.engine}, {"versions", result.hello.versions}};
  json.update(tally_json(tally_of(result), result.controls));
  json["outcomes"] = outcomes;
  json["not_planned"] = not_planned_json(result.plan);
  return json.dump(2) + "\n";
}

std::string render_case_json(const CaseResult& result, const Hello& hello) {
  Json json{{"schema", "ordercheck/run/1"}};
  json.update(case_json(result));
  json["engine"] = hello.engine;
  json["versions"] = hello.versions;
  return json.dump(2) + "\n";
}

}  // namespace ordercheck
