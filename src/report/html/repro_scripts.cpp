#include "report/html/repro_scripts.h"

namespace ordercheck {

bool is_worth_a_script(Verdict verdict) {
  return verdict != Verdict::equal && verdict != Verdict::close && verdict != Verdict::unrun;
}

bool needs_full_script(Verdict verdict) { return verdict == Verdict::ignored; }

std::vector<CaseToReproduce> cases_to_reproduce(const Sources& sources, const std::string& engine) {
  std::map<std::string, CaseToReproduce> found;
  for (const EvidenceTable& table : sources.evidence) {
    if (table.engine != engine || !decides(table)) continue;
    for (const Observation& row : table.rows) {
      if (!is_worth_a_script(row.verdict)) continue;
      auto c = parse_case(row.case_text);
      if (!c) continue;
      Case written = with_usual_arithmetic(*std::move(c));
      CaseToReproduce& one = found[print(written)];
      one.subject = std::move(written);
      one.full |= needs_full_script(row.verdict);
    }
  }
  std::vector<CaseToReproduce> cases;
  for (const auto& [text, one] : found) cases.push_back(one);
  return cases;
}

}  // namespace ordercheck
