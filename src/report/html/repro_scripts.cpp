#include "report/html/repro_scripts.h"

namespace ordercheck {

bool is_worth_a_script(Verdict verdict) {
  switch (verdict) {
    case Verdict::differs:
    case Verdict::fails:
    case Verdict::hangs:
    case Verdict::unstable: return true;
    default: return false;
  }
}

std::vector<Case> cases_to_reproduce(const Sources& sources, const std::string& engine) {
  std::map<std::string, Case> found;
  for (const EvidenceTable& table : sources.evidence) {
    if (table.engine != engine || !decides(table)) continue;
    for (const Observation& row : table.rows) {
      if (!is_worth_a_script(row.verdict)) continue;
      auto c = parse_case(row.case_text);
      if (!c) continue;
      Case written = with_usual_arithmetic(*std::move(c));
      std::string text = print(written);
      found.emplace(std::move(text), std::move(written));
    }
  }
  std::vector<Case> cases;
  for (auto& [text, one] : found) cases.push_back(std::move(one));
  return cases;
}

}  // namespace ordercheck
