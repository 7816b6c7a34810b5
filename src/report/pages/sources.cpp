#include "report/pages/sources.h"

#include <algorithm>
#include <cassert>

#include "check/check.h"
#include "knowledge/target.h"
#include "rule/load.h"

namespace ordercheck {

Result<Sources> load_sources(const std::filesystem::path& root) {
  return load_sources(Folders{.rules = root / "rules", .matrix = root / "matrix"});
}

namespace {

std::string name_of(const std::vector<EngineFile>& engines, bool EngineFile::* use) {
  const auto found = std::ranges::find(engines, true, use);
  return found == engines.end() ? "" : found->name;
}

}  // namespace

Result<Sources> load_sources(const Folders& folders) {
  auto known = load_knowledge(folders);
  if (!known) return known.error();
  auto frameworks = load_frameworks(folders.matrix / "frameworks");
  if (!frameworks) return frameworks.error();
  auto topics = load_topics(folders.matrix / "pages.toml");
  if (!topics) return topics.error();
  auto space = load_space(folders.matrix / "space.toml");
  if (!space) return space.error();
  Sources sources{.rules = std::move(known->rules),
                  .reader = usual_target(known->engines),
                  .definition = name_of(known->engines, &EngineFile::by_definition),
                  .engines = names_of(known->engines),
                  .evidence = std::move(known->evidence),
                  .frameworks = *std::move(frameworks),
                  .topics = *std::move(topics),
                  .space = *std::move(space),
                  .observations = std::move(known->observations)};
  for (const EvidenceTable& table : sources.evidence) {
    auto own = load_space_of(table.engine, folders.matrix);
    if (!own) return own.error();
    sources.own_spaces.emplace(table.engine, *own);
  }
  const auto target = settle_target({.project = sources.reader}, sources.rules, sources.observations);
  if (!target) return target.error();
  return sources;
}

const Space& space_of(const Sources& sources, const std::string& engine) {
  const auto own = sources.own_spaces.find(engine);
  return own == sources.own_spaces.end() ? sources.space : own->second;
}

std::vector<Target> targets_of(const Sources& sources) {
  std::vector<Target> targets;
  std::vector<std::string> engines = sources.engines;
  for (const EvidenceTable& table : sources.evidence)
    if (std::ranges::find(engines, table.engine) == engines.end()) engines.push_back(table.engine);
  std::ranges::stable_partition(engines, [&](const std::string& engine) { return engine == sources.reader; });
  for (const std::string& engine : engines) {
    std::vector<Version> versions;
    for (const Observation& seen : sources.observations)
      if (auto version = parse_version(seen.version); version && seen.engine == engine) versions.push_back(*version);
    std::ranges::sort(versions, std::greater<>{});
    versions.erase(std::ranges::unique(versions).begin(), versions.end());
    if (versions.empty())
      if (auto newest = newest_known(sources.rules, engine)) versions.push_back(*newest);
    for (const Version& version : versions) targets.push_back({.project = engine, .version = version});
  }
  return targets;
}

Target reader_target(const Sources& sources) {
  const auto target = settle_target({.project = sources.reader}, sources.rules, sources.observations);
  assert(target && "load_sources refuses rules that do not speak about the reader");
  return *target;
}

}  // namespace ordercheck
