#include "knowledge/knowledge.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>

#include "check/check.h"
#include "check/evidence_for.h"
#include "evidence/engine_sources.h"
#include "evidence/table.h"
#include "rule/load.h"

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

// Tables of another device decide nothing: they keep their rows.
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

// Engines and versions that there is evidence of.
std::vector<Observation> versions_in(const std::vector<EvidenceTable>& heads) {
  std::vector<Observation> versions;
  for (const EvidenceTable& head : heads)
    if (decides(head)) versions.push_back({.engine = head.engine, .version = version_of(head.versions)});
  return versions;
}

// Projects whose transforms are their own code, not PyTorch's.
constexpr std::string_view kOwnTransforms[] = {"deepspeed", "megatron"};

// What is incidental to another implementation says nothing of one's own.
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

}  // namespace ordercheck
