
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "parity/counters.h"
#include "report/text/summary.h"

namespace ordercheck {
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
  if (const auto& d = seen.difference)  // bits of numbers and hashes of tensors
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
  return Json{{"schema", "ordercheck/matrix-plan/1"},
              {"engine", plan.engine},
              {"cases", cases},
              {"not_planned", not_planned_json(plan)},
              {"only_in_full", plan.only_in_full}}
             .dump(2) +
         "\n";
}

std::string render_result_json(const PlanResult& result) {
  const Tally tally = tally_of(result);
  Json verdicts = Json::object(), outcomes = Json::array(), controls = Json::array();
  for (const auto& [verdict, count] : tally.verdicts) verdicts[name_of(verdict)] = count;
  for (const CaseResult& one : result.cases) outcomes.push_back(case_json(one));
  for (const Control& control : result.controls)
    controls.push_back(
        {{"name", control.name}, {"judged", control.judged}, {"held", control.held}, {"evidence", control.evidence}});
  const Json json{{"schema", "ordercheck/matrix-run/1"},
                  {"engine", result.hello.engine},
                  {"versions", result.hello.versions},
                  {"verdicts", verdicts},
                  {"confirmed", tally.confirmed},
                  {"open", tally.open},
                  {"explained", tally.explained},
                  {"contradictions", tally.contradictions},
                  {"undecided", tally.undecided},
                  {"controls", controls},
                  {"outcomes", outcomes},
                  {"not_planned", not_planned_json(result.plan)}};
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
