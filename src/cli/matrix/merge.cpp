// ordercheck matrix merge: merges the tables of shards and judges them as one matrix. Runs no engine.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/text.h"
#include "base/wording.h"
#include "cli/command.h"
#include "cli/matrix/matrix.h"
#include "cli/shared/format_option.h"
#include "matrix/engine_spec.h"
#include "matrix/knowledge.h"
#include "matrix/plan_result.h"
#include "record/evidence_merge.h"
#include "report/text/tally_json.h"
#include "rules/outcome.h"

namespace ordercheck::cli {
namespace {

namespace fs = std::filesystem;

Result<Merged> read_and_merge(const std::vector<std::string>& paths) {
  std::vector<Part> parts;
  for (const std::string& path : paths) {
    const auto text = read_file(path);
    if (!text) return text.error();
    auto table = parse_evidence(*text, path);
    if (!table) return table.error();
    parts.push_back({.path = path, .table = std::move(table).value()});
  }
  return merge_parts(std::move(parts));
}

std::string or_nothing(const std::string& value) { return value.empty() ? "nothing" : one_line(value); }

std::string describe_conflicts(const std::vector<PartConflict>& conflicts) {
  std::string text;
  for (const PartConflict& one : conflicts)
    text += fmt::format("{}: {} is {} in {}, and {} in {}\n", one.case_text, one.field, or_nothing(one.one), one.one_path,
                        or_nothing(one.other), one.other_path);
  return text + fmt::format(
                    "{} between the parts; nothing was merged or written. Run the shard of the case anew with --fresh: what "
                    "shows twice is not the job\n",
                    counted(std::ssize(conflicts), "conflict"));
}

// Compares every row with the rules, like `matrix run`.
Result<std::vector<Outcome>> judged(const EvidenceTable& table, const std::vector<Rule>& rules) {
  const Target target = target_of({.engine = table.engine, .versions = table.versions});
  const Catalogue catalogue(rules);
  std::vector<Outcome> outcomes;
  for (const Observation& row : table.rows) {
    const auto c = parse_case(row.case_text);
    if (!c) return Error{fmt::format("case '{}': {}", row.case_text, c.error().message)};
    outcomes.push_back(outcome_of(*c, row, catalogue, target));
  }
  std::vector<Outcome*> all;
  for (Outcome& outcome : outcomes) all.push_back(&outcome);
  hold_pairs_against_rules(all, rules, target);
  return outcomes;
}

std::string describe_merge(const EvidenceTable& table, const std::vector<Outcome>& outcomes, std::size_t parts) {
  const Tally tally = tally_of(outcomes, table.controls);
  std::vector<std::string> verdicts;
  for (const auto& [verdict, count] : tally.verdicts) verdicts.push_back(fmt::format("{} {}", count, name_of(verdict)));
  std::string text =
      fmt::format("{} of {} on {} ({}): {}\n", counted(std::ssize(outcomes), "case"), counted(parts, "part"), table.engine,
                  join(table.versions, ", "), verdicts.empty() ? "nothing ran" : join(verdicts, ", "));
  text += fmt::format("{} confirmed, {} open, {} explained by a rule, {} not explained, {} undecided\n", tally.confirmed,
                      tally.open, counted(tally.explained, "contradiction"), tally.contradictions, tally.undecided);
  for (const Outcome& outcome : outcomes)
    if (outcome.agreement == Agreement::contradiction && outcome.explanation.empty())
      text += fmt::format("contradiction  {}: {}\n", print(outcome.subject), outcome.disagreement);
  for (const Outcome& outcome : outcomes)
    if (outcome.agreement == Agreement::undecided)
      text += fmt::format("{:<15}{}: {}\n", name_of(outcome.seen.verdict), print(outcome.subject), reason_of(outcome.seen));
  for (const Control& control : table.controls)
    text += fmt::format("control        {} {}: {}\n", control.name,
                        !control.judged ? "not judged"
                        : control.held  ? "held"
                                        : "FAILED",
                        control.evidence);
  return text;
}

struct Merge {
  std::size_t parts = 0;
  std::vector<PartConflict> conflicts;  // if not empty, nothing else is set
  EvidenceTable table;
  std::vector<Outcome> outcomes;
  std::string wrote;                 // a path; "" if nothing was written
  std::vector<std::string> missing;  // "2/3"
};

std::string merge_json(const Merge& merge) {
  using Json = nlohmann::ordered_json;
  Json conflicts = Json::array(), outcomes = Json::array();
  for (const PartConflict& one : merge.conflicts)
    conflicts.push_back({{"case", one.case_text},
                         {"field", one.field},
                         {"left", {{"part", one.one_path}, {"value", one.one}}},
                         {"right", {{"part", one.other_path}, {"value", one.other}}}});
  for (const Outcome& outcome : merge.outcomes)
    outcomes.push_back({{"case", print(outcome.subject)},
                        {"verdict", name_of(outcome.seen.verdict)},
                        {"reason", reason_of(outcome.seen)},
                        {"agreement", name_of(outcome.agreement)},
                        {"disagreement", outcome.disagreement},
                        {"explanation", outcome.explanation}});
  Json whole{{"schema", "ordercheck/matrix-merge/1"},
             {"parts", merge.parts},
             {"conflicts", conflicts},
             {"engine", merge.table.engine},
             {"versions", merge.table.versions}};
  whole.update(tally_json(tally_of(merge.outcomes, merge.table.controls), merge.table.controls));
  whole["outcomes"] = outcomes;
  whole["wrote"] = merge.wrote.empty() ? Json(nullptr) : Json(merge.wrote);
  whole["missing"] = merge.missing;
  return whole.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string merge_text(const Merge& merge) {
  if (!merge.conflicts.empty()) return describe_conflicts(merge.conflicts);
  std::string text = describe_merge(merge.table, merge.outcomes, merge.parts);
  if (!merge.wrote.empty()) text += fmt::format("wrote {}\n", merge.wrote);
  for (const std::string& shard : merge.missing)
    text += fmt::format("missing        shard {}: `ordercheck matrix run --shard {} --out FILE` runs it\n", shard, shard);
  return text;
}

// Writes the merged table into the evidence folder. Keeps rows of the committed table that no part contains.
Result<fs::path> write_into(const fs::path& folder, const EvidenceTable& merged) {
  const fs::path path = evidence_path(folder, merged);
  std::error_code failed;
  if (!fs::exists(path, failed)) {
    if (auto written = write_evidence(folder, merged); !written) return written.error();
    return path;
  }
  const auto text = read_file(path);
  if (!text) return text.error();
  auto committed = parse_evidence(*text, path.string());
  if (!committed) return committed.error();
  if (auto written = write_evidence(folder, with_part(std::move(committed).value(), merged)); !written) return written.error();
  return path;
}

// Merges, judges and writes.
Result<Merge> merge_of(const MatrixCommand& command) {
  auto merged = read_and_merge(command.parts);
  if (!merged) return merged.error();
  Merge made{.parts = command.parts.size(), .conflicts = merged->conflicts};
  if (!made.conflicts.empty()) return made;
  const auto knowledge = load_knowledge(command.rules);
  if (!knowledge) return knowledge.error();
  auto outcomes = judged(merged->table, knowledge->rules);
  if (!outcomes) return outcomes.error();
  made.table = merged->table;
  made.outcomes = std::move(outcomes).value();
  made.missing = merged->missing;
  if (!command.out.empty()) {
    if (const auto written = replace_file(command.out, print_evidence(made.table)); !written) return written.error();
    made.wrote = command.out;
  }
  if (!command.into.empty()) {
    const auto written = write_into(command.into, made.table);
    if (!written) return written.error();
    made.wrote = written->string();
  }
  return made;
}

Result<int> run_merge(const MatrixCommand& command) {
  const auto merge = merge_of(command);
  if (!merge) return merge.error();
  fmt::print("{}", command.format == "json" ? merge_json(*merge) : merge_text(*merge));
  const Tally tally = tally_of(merge->outcomes, merge->table.controls);
  if (!merge->conflicts.empty() || tally.contradictions > 0 || tally.controls_failed > 0) return kDecidedAgainst;
  return tally.undecided > 0 || merge->outcomes.empty() || !merge->missing.empty() ? kUndecided : kNothingAgainst;
}

}  // namespace

void add_matrix_merge(CLI::App& matrix, const std::shared_ptr<MatrixCommand>& options, int& exit_code) {
  CLI::App* merge = matrix.add_subcommand("merge", "Merge the shards of a matrix and check them as one");
  merge->add_option("PART", options->parts, "Tables written by `matrix run --shard i/n --out FILE`, in any order")->required();
  merge->add_option("--rules", options->rules, "The folder of rules");
  CLI::Option* out = merge->add_option("--out", options->out, "Write the merged table to this file");
  merge->add_option("--into", options->into, "Write into this evidence folder; rows that no shard has are kept")->excludes(out);
  add_format_option(*merge, options->format);
  show_examples(*merge, {"matrix merge matrix/evidence/native/libtorch-2.11.0-cpu.tsv"});
  merge->callback([options, &exit_code] { exit_code = ended("matrix", run_merge(*options)); });
}

}  // namespace ordercheck::cli
