#include "cli/knowledge.h"

#include <cstdlib>

#include "check/observed.h"
#include "evidence/table.h"
#include "rule/load.h"

namespace ordercheck::cli {

namespace fs = std::filesystem;

Result<fs::path> find_rules_folder(const std::string& written) {
  if (!written.empty()) return fs::path(written);
  if (const char* from_environment = std::getenv("ORDERCHECK_RULES"); from_environment != nullptr && *from_environment != 0)
    return fs::path(from_environment);
  std::error_code failed;
  const fs::path executable = fs::read_symlink("/proc/self/exe", failed);
  for (fs::path above = executable.parent_path(); !above.empty(); above = above.parent_path()) {
    if (fs::exists(above / "rules" / "TEMPLATE.md", failed)) return above / "rules";
    if (above == above.root_path()) break;
  }
  return Error{"no folder of rules above " + executable.string() + "; name one with --rules DIR or ORDERCHECK_RULES"};
}

Result<Knowledge> load_knowledge(const std::string& rules_folder) {
  const Result<fs::path> folder = find_rules_folder(rules_folder);
  if (!folder) return folder.error();
  Result<Pages> pages = load_pages(*folder);
  if (!pages) return pages.error();
  const fs::path beside = fs::absolute(*folder / "").lexically_normal().parent_path().parent_path();
  const Result<std::vector<EvidenceTable>> evidence = read_evidence(beside / "matrix" / "evidence");
  if (!evidence) return evidence.error();
  return Knowledge{.rules = std::move(pages->rules),
                   .retired = std::move(pages->retired),
                   .observations = observations_of(*evidence)};
}

}  // namespace ordercheck::cli
