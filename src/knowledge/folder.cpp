#include "knowledge/folder.h"

#include "engine/engine_spec.h"
#include "engine/home.h"

namespace ordercheck {

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

}  // namespace ordercheck
