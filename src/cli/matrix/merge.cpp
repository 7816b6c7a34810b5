// ordercheck matrix merge: merges the tables of shards and judges them as one matrix. Runs no engine.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "base/wording.h"
#include "cli/command.h"
#include "cli/matrix/matrix.h"
#include "matrix/engine_spec.h"
#include "matrix/knowledge.h"
#include "matrix/plan_result.h"
#include "record/evidence_merge.h"
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

void tell_conflicts(const std::vector<PartConflict>& conflicts) {
  for (const PartConflict& one : conflicts)
    fmt::print("{}: {} is {} in {}, and {} in {}\n", one.case_text, one.field, or_nothing(one.one), one.one_path,
               or_nothing(one.other), one.other_path);
  fmt::print(
      "{} between the parts; nothing was merged or written. Run the shard of the case anew with --fresh: what shows "
      "twice is not the job\n",
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

Result<int> run_merge(const MatrixCommand& command) {
  const auto merged = read_and_merge(command.parts);
  if (!merged) return merged.error();
  if (!merged->conflicts.empty()) {
    tell_conflicts(merged->conflicts);
    return kDecidedAgainst;
  }
  const auto knowledge = load_knowledge(command.rules);
  if (!knowledge) return knowledge.error();
  const auto outcomes = judged(merged->table, knowledge->rules);
  if (!outcomes) return outcomes.error();
  fmt::print("{}", describe_merge(merged->table, *outcomes, command.parts.size()));
  if (!command.out.empty()) {
    if (const auto written = replace_file(command.out, print_evidence(merged->table)); !written) return written.error();
    fmt::print("wrote {}\n", command.out);
  }
  if (!command.into.empty()) {
    const auto written = write_into(command.into, merged->table);
    if (!written) return written.error();
    fmt::print("wrote {}\n", written->string());
  }
  for (const std::string& shard : merged->missing)
    fmt::print("missing        shard {}: `ordercheck matrix run --shard {} --out FILE` runs it\n", shard, shard);
  const Tally tally = tally_of(*outcomes, merged->table.controls);
  if (tally.contradictions > 0 || tally.controls_failed > 0) return kDecidedAgainst;
  return tally.undecided > 0 || outcomes->empty() || !merged->missing.empty() ? kUndecided : kNothingAgainst;
}

}  // namespace

void add_matrix_merge(CLI::App& matrix, const std::shared_ptr<MatrixCommand>& options, int& exit_code) {
  CLI::App* merge = matrix.add_subcommand("merge", "Merge the shards of a matrix and check them as one");
  merge->add_option("PART", options->parts, "Tables written by `matrix run --shard i/n --out FILE`, in any order")->required();
  merge->add_option("--rules", options->rules, "The folder of rules");
  CLI::Option* out = merge->add_option("--out", options->out, "Write the merged table to this file");
  merge->add_option("--into", options->into, "Write into this evidence folder; rows that no shard has are kept")->excludes(out);
  show_examples(*merge, {"matrix merge matrix/evidence/native/libtorch-2.11.0-cpu.tsv"});
  merge->callback([options, &exit_code] { exit_code = ended("matrix", run_merge(*options)); });
}

}  // namespace ordercheck::cli
