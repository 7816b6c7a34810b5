#include "knowledge/knowledge.h"

#include "check/check.h"
#include "check/evidence_for.h"
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

// Engines and versions that there is evidence of.
std::vector<Observation> versions_in(const std::vector<EvidenceTable>& heads) {
  std::vector<Observation> versions;
  for (const EvidenceTable& head : heads)
    if (decides(head)) versions.push_back({.engine = head.engine, .version = version_of(head.versions)});
  return versions;
}

// What an engine without checks shows is about the checks, and nothing that a stack is recommended or warned of for: it is left out
// of every answer that is not about it.
Knowledge of_checked_engines(Knowledge knowledge, const std::string& asked) {
  for (const EngineFile& engine : knowledge.engines) {
    if (!engine.without_checks || engine.name == asked) continue;
    std::erase_if(knowledge.observations, [&](const Observation& seen) { return seen.engine == engine.name; });
    for (Rule& rule : knowledge.rules)
      std::erase_if(rule.holds, [&](const Holds& holds) { return holds.project == engine.name; });
  }
  return knowledge;
}

}  // namespace

Result<Knowledge> load_knowledge(const Folders& folders) {
  Result<Knowledge> knowledge = pages_and_engines(folders);
  if (!knowledge) return knowledge;
  auto evidence = read_evidence(folders.matrix / "evidence");
  if (!evidence) return evidence.error();
  knowledge->evidence = *std::move(evidence);
  knowledge->observations = observations_of(knowledge->evidence);
  return knowledge;
}

Result<Knowledge> load_knowledge(const std::string& rules_folder) {
  const auto folders = find_folders(rules_folder);
  return folders ? load_knowledge(*folders) : folders.error();
}

Result<Knowledge> load_knowledge_of_checked_engines(const std::string& rules_folder) {
  Result<Knowledge> knowledge = load_knowledge(rules_folder);
  if (!knowledge) return knowledge;
  return of_checked_engines(*std::move(knowledge), "");
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
  const auto own = read_evidence(evidence, reading_own(*target, knowledge->rules));
  if (!own) return own.error();
  knowledge->observations = observations_of(*own);
  const auto others = read_evidence(evidence, reading_others(*target, knowledge->rules, knowledge->observations));
  if (!others) return others.error();
  for (Observation& seen : observations_of(*others)) knowledge->observations.push_back(std::move(seen));
  return of_checked_engines(*std::move(knowledge), target->project);
}

}  // namespace ordercheck
