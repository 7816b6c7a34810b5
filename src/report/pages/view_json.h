// Converts the structs of the generated pages to JSON objects with one field per member, for page templates and the HTML
// report.
#pragma once

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "report/pages/framework_view.h"
#include "report/pages/markdown.h"
#include "report/pages/order_view.h"
#include "report/pages/pair_view.h"
#include "report/pages/rule_view.h"
#include "report/pages/runs_view.h"
#include "report/pages/supported_view.h"
#include "report/pages/symptoms.h"
#include "report/pages/traffic_view.h"
#include "report/pages/transform_view.h"
#include "report/pages/versions_view.h"

#define ORDERCHECK_DATA_OF(View, ...)                                        \
  template <class Json>                                                      \
  void to_json(Json& nlohmann_json_j, const View& nlohmann_json_t) {         \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_TO, __VA_ARGS__)) \
  }

namespace ordercheck {

ORDERCHECK_DATA_OF(PairReason, pair, rule, reason, cite, other_way)
ORDERCHECK_DATA_OF(SupportedProject, project, runs, rules)
ORDERCHECK_DATA_OF(Symptom, message, where, pages)
ORDERCHECK_DATA_OF(SentRow, stack, verdict, gathers, gathers_again, scatters, reduces, bytes)
ORDERCHECK_DATA_OF(TakenRow, stack, buckets, step, exposed, held, saved, parameters)
ORDERCHECK_DATA_OF(BesideRow, stack, gathers, gathers_again, scatters, reduces, there, says)
template <class Json>
void to_json(Json& json, const BesideTable& table) {
  json = {{"engine", table.engine},
          {"model", table.model},
          {"models", table.models},
          {"rows", table.rows},
          {"only_here", in_lines(join(table.only_here, ", "))},
          {"only_there", in_lines(join(table.only_there, ", "))}};
}
template <class Json>
void to_json(Json& json, const SentTable& table) {
  json = {{"title", table.title},
          {"engine", table.engine},
          {"model", table.model},
          {"steps", table.steps},
          {"rows", table.rows},
          {"taken", table.taken},
          {"has_taken", !table.taken.empty()},
          {"beside", table.beside}};
}
ORDERCHECK_DATA_OF(ContradictionRow, engine, what, claimed, seen, explanation)
ORDERCHECK_DATA_OF(OwnRun, title, stack, shown, on)
ORDERCHECK_DATA_OF(Disagreement, pair, first_before, second_before)
ORDERCHECK_DATA_OF(PairView, order, answer, good, turned, reason, said, needs, elsewhere)
ORDERCHECK_DATA_OF(ChangedRow, order, cells, rules, change)
ORDERCHECK_DATA_OF(VersionLine, label, text)
ORDERCHECK_DATA_OF(VersionsView, engine, versions, same, rows, lines)
ORDERCHECK_DATA_OF(TransformPage, page, claim, harm, basis, source)
ORDERCHECK_DATA_OF(TransformShown, target, verdict, page, stacks, more)
ORDERCHECK_DATA_OF(ModeRow, stack, collectives, bytes, held, saved, parameters)
ORDERCHECK_DATA_OF(TransformView, name, title, run, shown, modes_on, modes, projects, pages)
ORDERCHECK_DATA_OF(Standing, target, grade, note, bad, good, claimed)
ORDERCHECK_DATA_OF(RulePage, id, title, kind, file, page, flags, when, harm, basis, holds, bad, good, repro, loses, bad_name,
                   good_name, what, why, limits, standings, rows, grades, cited, citations, expectations)
ORDERCHECK_DATA_OF(EngineView, title, versions, arithmetic, cases, verdicts, confirmed, open, explained, contradictions,
                   undecided, controls, rows, sent)

}  // namespace ordercheck
