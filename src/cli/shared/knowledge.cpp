#include "cli/shared/knowledge.h"

#include "check/check.h"
#include "check/evidence_for.h"
#include "engine/engine_spec.h"
#include "engine/home.h"
#include "evidence/table.h"
#include "rule/load.h"

namespace ordercheck::cli {

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

Result<std::vector<EngineFile>> known_engines(const std::string& rules_folder) {
  const auto rules = find_rules_folder(rules_folder);
  return load_engine_files(rules ? beside(*rules, "matrix") / "engines" : fs::path());
}

namespace {

// The rules, and the folder of evidence beside theirs.
struct Found {
  Knowledge knowledge;
  fs::path evidence;
};

Result<Found> find_knowledge(const std::string& rules_folder) {
  const Result<fs::path> folder = find_rules_folder(rules_folder);
  if (!folder) return folder.error();
  Result<Pages> pages = load_pages(*folder);
  if (!pages) return pages.error();
  const auto engines = load_engine_files(beside(*folder, "matrix") / "engines");
  if (!engines) return engines.error();
  return Found{.knowledge = {.rules = std::move(pages->rules),
                             .retired = std::move(pages->retired),
                             .engines = names_of(*engines),
                             .observations = {}},
               .evidence = beside(*folder, "matrix") / "evidence"};
}

// Engines and versions that there is evidence of.
std::vector<Observation> versions_in(const std::vector<EvidenceTable>& heads) {
  std::vector<Observation> versions;
  for (const EvidenceTable& head : heads)
    if (head.arithmetic == name_of(Arithmetic::exact))
      versions.push_back({.engine = head.engine, .version = version_of(head.versions)});
  return versions;
}

}  // namespace

Result<Knowledge> load_knowledge(const std::string& rules_folder) {
  Result<Found> found = find_knowledge(rules_folder);
  if (!found) return found.error();
  const Result<std::vector<EvidenceTable>> evidence = read_evidence(found->evidence);
  if (!evidence) return evidence.error();
  found->knowledge.observations = observations_of(*evidence);
  return std::move(found->knowledge);
}

Result<Knowledge> load_knowledge(const std::string& rules_folder, const Target& asked) {
  Result<Found> found = find_knowledge(rules_folder);
  if (!found) return found.error();
  const auto heads = read_evidence_heads(found->evidence);
  if (!heads) return heads.error();
  const auto target = settle_target(asked, found->knowledge.rules, versions_in(*heads));
  if (!target) return target.error();
  Knowledge& knowledge = found->knowledge;
  const auto own = read_evidence(found->evidence, reading_own(*target, knowledge.rules));
  if (!own) return own.error();
  knowledge.observations = observations_of(*own);
  const auto others = read_evidence(found->evidence, reading_others(*target, knowledge.rules, knowledge.observations));
  if (!others) return others.error();
  for (Observation& seen : observations_of(*others)) knowledge.observations.push_back(std::move(seen));
  return std::move(knowledge);
}

}  // namespace ordercheck::cli
