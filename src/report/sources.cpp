#include "report/sources.h"

#include <algorithm>
#include <cassert>

#include "check/check.h"
#include "check/evidence_for.h"
#include "rule/load.h"

namespace ordercheck {

Result<Sources> load_sources(const std::filesystem::path& root) { return load_sources(root / "rules", root / "matrix"); }

Result<Sources> load_sources(const std::filesystem::path& rules_folder, const std::filesystem::path& matrix) {
  auto rules = load_rules(rules_folder);
  if (!rules) return rules.error();
  auto evidence = read_evidence(matrix / "evidence");
  if (!evidence) return evidence.error();
  auto frameworks = load_frameworks(matrix / "frameworks");
  if (!frameworks) return frameworks.error();
  auto discussions = load_discussions(matrix / "discussions", *rules);
  if (!discussions) return discussions.error();
  auto space = load_space(matrix / "space.toml");
  if (!space) return space.error();
  Sources sources{
      .rules = *rules, .evidence = *evidence, .frameworks = *frameworks, .discussions = *discussions, .space = *space};
  for (const EvidenceTable& table : sources.evidence) {
    auto own = load_space_of(table.engine, matrix);
    if (!own) return own.error();
    sources.own_spaces.emplace(table.engine, *own);
  }
  sources.observations = observations_of(sources.evidence);
  const auto known = settle_target({.project = "pytorch"}, sources.rules, sources.observations);
  if (!known) return known.error();
  return sources;
}

const Space& space_of(const Sources& sources, const std::string& engine) {
  const auto own = sources.own_spaces.find(engine);
  return own == sources.own_spaces.end() ? sources.space : own->second;
}

std::vector<Target> targets_of(const Sources& sources) {
  std::vector<Target> targets;
  std::vector<std::string> engines{"pytorch", "native"};
  for (const EvidenceTable& table : sources.evidence)
    if (std::ranges::find(engines, table.engine) == engines.end()) engines.push_back(table.engine);
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
  const auto target = settle_target({.project = "pytorch"}, sources.rules, sources.observations);
  assert(target && "load_sources refuses rules that do not speak about pytorch");
  return *target;
}

}  // namespace ordercheck
