#include "matrix/knowledge.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "matrix/engine_spec.h"
#include "matrix/pytorch_engine.h"
#include "record/engine_sources.h"
#include "record/evidence_table.h"
#include "rules/check.h"
#include "rules/load.h"
#include "rules/observations.h"

namespace ordercheck {
namespace fs = std::filesystem;

namespace {

Result<Knowledge> pages_and_engines(const Folders& folders) {
  Result<Pages> pages = load_pages(folders.rules);
  if (!pages) return pages.error();
  auto engines = load_engine_files(folders.matrix / "engines");
  if (!engines) return engines.error();
  return Knowledge{.rules = std::move(pages->rules),
                   .retired = std::move(pages->retired),
                   .engines = *std::move(engines),
                   .evidence = {},
                   .observations = {}};
}

// Removes rows that another version of the driver recorded. Tables of another device keep theirs, because they decide no
// grade.
std::vector<EvidenceTable> without_stale_rows(std::vector<EvidenceTable> tables, const fs::path& matrix,
                                              const std::vector<EngineFile>& engines) {
  std::map<std::string, std::string> hashes;
  for (EvidenceTable& table : tables) {
    if (!decides(table) || table.rows.empty()) continue;
    const auto [found, is_new] = hashes.try_emplace(table.engine + " " + version_of(table.versions));
    if (is_new) found->second = hash_of_driver(matrix, engines, table);
    std::erase_if(table.rows, [&](const Observation& row) { return is_stale(row, found->second); });
  }
  return tables;
}

// One empty observation per engine and version that has a table for which decides() is true.
std::vector<Observation> versions_in(const std::vector<EvidenceTable>& heads) {
  std::vector<Observation> versions;
  for (const EvidenceTable& head : heads)
    if (decides(head)) versions.push_back({.engine = head.engine, .version = version_of(head.versions)});
  return versions;
}

// Projects whose transforms are not PyTorch's (FSDP2, DTensor, ...) but their own.
constexpr std::string_view kOwnTransforms[] = {"deepspeed", "megatron"};

// For a project with its own implementation of the transforms, silences rules about incidental behaviour of other projects.
Knowledge of_own_transforms(Knowledge knowledge, const std::string& asked) {
  if (std::ranges::find(kOwnTransforms, asked) == std::end(kOwnTransforms)) return knowledge;
  for (Rule& rule : knowledge.rules)
    if (rule.basis == Basis::incidental) rule.silent_elsewhere = true;
  return knowledge;
}

}  // namespace

Result<Knowledge> load_knowledge(const Folders& folders) {
  Result<Knowledge> knowledge = pages_and_engines(folders);
  if (!knowledge) return knowledge;
  auto evidence = read_evidence(folders.matrix / "evidence");
  if (!evidence) return evidence.error();
  knowledge->evidence = without_stale_rows(*std::move(evidence), folders.matrix, knowledge->engines);
  knowledge->observations = observations_of(knowledge->evidence);
  return knowledge;
}

Result<Knowledge> load_knowledge(const std::string& rules_folder) {
  const auto folders = find_folders(rules_folder);
  return folders ? load_knowledge(*folders) : folders.error();
}

Result<Knowledge> load_knowledge(const std::string& rules_folder, const Target& asked) {
  const auto folders = find_folders(rules_folder);
  if (!folders) return folders.error();
  Result<Knowledge> knowledge = pages_and_engines(*folders);
  if (!knowledge) return knowledge;
  const fs::path evidence = folders->matrix / "evidence";
  const auto heads = read_evidence_heads(evidence);
  if (!heads) return heads.error();
  const auto target = settle_target(asked, knowledge->rules, versions_in(*heads));
  if (!target) return target.error();
  auto own = read_evidence(evidence, reading_own(*target, knowledge->rules));
  if (!own) return own.error();
  knowledge->observations = observations_of(without_stale_rows(*std::move(own), folders->matrix, knowledge->engines));
  auto others = read_evidence(evidence, reading_others(*target, knowledge->rules, knowledge->observations));
  if (!others) return others.error();
  const auto current = without_stale_rows(*std::move(others), folders->matrix, knowledge->engines);
  for (Observation& seen : observations_of(current)) knowledge->observations.push_back(std::move(seen));
  return of_own_transforms(*std::move(knowledge), target->project);
}

std::string hash_of_driver(const fs::path& matrix, const std::vector<EngineFile>& engines, const EvidenceTable& head) {
  const EngineFile* file = find_engine(engines, head.engine);
  if (file == nullptr || file->interpreter.empty()) return "";
  return hash_of_sources(fs::absolute(matrix).parent_path(), file->sources, version_of(head.versions));
}

Result<std::vector<StaleTable>> stale_tables(const Folders& folders) {
  const auto engines = load_engine_files(folders.matrix / "engines");
  if (!engines) return engines.error();
  const auto tables = read_evidence(folders.matrix / "evidence");
  if (!tables) return tables.error();
  std::vector<StaleTable> stale;
  for (const EvidenceTable& table : *tables) {
    if (!decides(table)) continue;
    const std::string hash = hash_of_driver(folders.matrix, *engines, table);
    const auto rows = std::ranges::count_if(table.rows, [&](const Observation& row) { return is_stale(row, hash); });
    if (rows > 0)
      stale.push_back({.path = evidence_path(folders.matrix / "evidence", table),
                       .engine = table.engine,
                       .stale = static_cast<std::size_t>(rows),
                       .rows = table.rows.size()});
  }
  return stale;
}

namespace fs = std::filesystem;

Result<fs::path> find_rules_folder(const std::string& written) {
  if (!written.empty()) return fs::path(written);
  if (const std::string named = environment_of("ORDERCHECK_RULES"); !named.empty()) return fs::path(named);
  if (const auto home = home_of("rules/TEMPLATE.md")) return *home / "rules";
  return Error{"no folder of rules above " + own_program().string() + "; name one with --rules DIR or ORDERCHECK_RULES"};
}

fs::path beside(const fs::path& rules, const fs::path& name) {
  return fs::absolute(rules / "").lexically_normal().parent_path().parent_path() / name;
}

Result<Folders> find_folders(const std::string& rules_folder, const fs::path& matrix) {
  const Result<fs::path> rules = find_rules_folder(rules_folder);
  if (!rules) return rules.error();
  return Folders{.rules = *rules, .matrix = matrix.empty() ? beside(*rules, "matrix") : matrix};
}

Result<std::vector<EngineFile>> known_engines(const std::string& rules_folder) {
  const auto rules = find_rules_folder(rules_folder);
  return load_engine_files(rules ? beside(*rules, "matrix") / "engines" : fs::path());
}

namespace {

// A bare version or "torch-<version>", as pip writes it, is unambiguous, so the error can suggest the right target.
Result<Target> parse_written(const std::string& written, const std::string& usual) {
  if (written.empty()) return parse_target(usual);
  const std::string version = written.starts_with("torch-") ? written.substr(6) : written;
  if (parse_version(version))
    return Error{fmt::format("--for {} names no engine; did you mean {}-{}?", written, usual, version)};
  if (written == "torch") return Error{fmt::format("--for torch: did you mean {}?", usual)};
  return parse_target(written);
}

std::optional<Version> newest_run(const std::vector<Observation>& observations, const std::string& project) {
  std::optional<Version> newest;
  for (const Observation& seen : observations)
    if (const auto version = seen.engine == project ? parse_version(seen.version) : Result<Version>(Error{""}); version)
      if (!newest || *version > *newest) newest = *version;
  return newest;
}

}  // namespace

std::string usual_target(const std::vector<EngineFile>& engines) {
  const auto usual = std::ranges::find(engines, true, &EngineFile::usual_target);
  assert(usual != engines.end() && "one of the engines that come with ordercheck says so");
  return usual->name;
}

Result<Target> asked_target(const std::string& written, const std::string& python, const std::vector<EngineFile>& engines) {
  const std::string usual = usual_target(engines);
  const Result<Target> asked = parse_written(written, usual);
  if (!asked || python.empty()) return asked;
  const auto torch = installed_torch(python);
  if (!torch) return torch.error();
  Result<Target> installed = parse_target(fmt::format("{}-{}", usual, *torch));
  if (!installed || written.empty()) return installed;
  if (asked->project != usual || (asked->version && !is_within(installed->version.value(), *asked->version)))
    return Error{fmt::format("--for {} and --python {} disagree: torch {} is installed there; leave one of the two out",
                             written, python, *torch)};
  installed->implementation = asked->implementation;
  return installed;
}

Result<SettledTarget> settle(const Target& asked, const Knowledge& knowledge) {
  const Result<Target> settled = settle_target(asked, knowledge.rules, knowledge.observations);
  if (!settled) return settled.error();
  SettledTarget found{.target = *settled, .assumed = !asked.version.has_value()};
  if (const auto newest = newest_run(knowledge.observations, settled->project); newest && *settled->version > *newest)
    found.newest_run = newest;
  return found;
}

Result<SettledTarget> settled_target(const std::string& written, const std::string& python, const Knowledge& knowledge) {
  const auto asked = asked_target(written, python, knowledge.engines);
  return asked ? settle(*asked, knowledge) : asked.error();
}

}  // namespace ordercheck
