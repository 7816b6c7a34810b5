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
    if (head.arithmetic == name_of(Arithmetic::exact))
      versions.push_back({.engine = head.engine, .version = version_of(head.versions)});
  return versions;
}

// What such an engine shows is about its checks, and nothing that a stack is recommended or warned of for.
bool leaves_checks_out(const std::string& name, const std::vector<EngineFile>& engines) {
  const EngineFile* engine = find_engine(engines, name);
  return engine != nullptr && engine->without_checks;
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
  for (Observation& seen : observations_of(*others))
    if (!leaves_checks_out(seen.engine, knowledge->engines)) knowledge->observations.push_back(std::move(seen));
  return knowledge;
}

}  // namespace ordercheck
