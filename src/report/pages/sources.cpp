#include "report/pages/sources.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "base/toml.h"
#include "matrix/knowledge.h"
#include "rules/check.h"
#include "rules/load.h"
#include "stack/notation.h"

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
  // Fail here rather than assert in reader_target().
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

namespace {

std::vector<ItemPattern> patterns_of(TomlTable& file, const std::string& key) {
  std::vector<ItemPattern> patterns;
  const std::vector<std::string> texts = file.texts(key);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const Result<Pattern> pattern = parse_pattern(texts[i]);
    if (!pattern)
      file.refuse(key, i, split(pattern.error().message, '\n').front());
    else if (pattern->any_of.size() != 1)
      file.refuse(key, i, "expected one transform, got '" + texts[i] + "'");
    else
      patterns.push_back(pattern->any_of.front());
  }
  return patterns;
}

// Keeps only the first line of an error.
Result<Stack> stack_in(const std::string& text) {
  auto stack = parse_stack(text);
  return stack ? stack : Error{split(stack.error().message, '\n').front()};
}

std::vector<std::string> names_in(TomlTable& file, const std::string& key) {
  std::vector<std::string> names;
  for (const ItemPattern& pattern : patterns_of(file, key)) names.push_back(pattern.name);
  return names;
}

std::vector<Stack> stacks_in(TomlTable& file, const std::string& key) {
  std::vector<Stack> stacks;
  const std::vector<std::string> texts = file.texts_if_given(key);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const Result<Stack> stack = stack_in(texts[i]);
    if (stack)
      stacks.push_back(*stack);
    else
      file.refuse(key, i, fmt::format("stack '{}': {}", texts[i], stack.error().message));
  }
  return stacks;
}

AskedPair pair_in(TomlTable& part) {
  AskedPair pair{.order = part.text("order"),
                 .said = part.text_if_given("said"),
                 .turned = stacks_in(part, "turned"),
                 .variants = stacks_in(part, "variants"),
                 .needs = part.text_if_given("needs"),
                 .elsewhere = part.text_if_given("elsewhere")};
  if (pair.turned.empty()) part.refuse("turned", "expected the stacks of the opposite order");
  return pair;
}

}  // namespace

Result<Topics> parse_topics(std::string_view text, const std::string& path) {
  TomlTable file(text, path);
  Topics topics{.core = names_in(file, "core"),
                .shardings = names_in(file, "shardings"),
                .sections = patterns_of(file, "sections"),
                .sample = file.take("sample", stack_in(file.text("sample"))),
                .project = file.text_if_given("project"),
                .pairs = {}};
  for (TomlTable& part : file.tables_if_given("pair")) {
    topics.pairs.push_back(pair_in(part));
    file.adopt(part);
  }
  if (const auto error = file.error()) return *error;
  return topics;
}

Result<Topics> load_topics(const std::filesystem::path& path) {
  const auto text = read_file(path);
  return text ? parse_topics(*text, path.string()) : text.error();
}

}  // namespace ordercheck
