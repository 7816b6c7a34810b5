#include "report/html/repro_scripts.h"

namespace ordercheck {

bool is_worth_a_script(Verdict verdict) {
  return verdict != Verdict::equal && verdict != Verdict::close && verdict != Verdict::unrun;
}

std::vector<Case> cases_to_reproduce(const Sources& sources, const std::string& engine) {
  std::map<std::string, Case> found;
  for (const EvidenceTable& table : sources.evidence) {
    if (table.engine != engine || table.arithmetic != name_of(Arithmetic::exact)) continue;
    for (const Observation& row : table.rows) {
      if (!is_worth_a_script(row.verdict)) continue;
      auto c = parse_case(row.case_text);
      if (!c) continue;
      const Case written = with_usual_arithmetic(*std::move(c));
      found.emplace(print(written), written);
    }
  }
  std::vector<Case> cases;
  for (const auto& [text, c] : found) cases.push_back(c);
  return cases;
}

}  // namespace ordercheck
