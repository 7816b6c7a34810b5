// What no implementation could allow is right in none: a page may not call fundamental what the reference implementation, which
// builds each transform from its definition, gets right.
#include <gtest/gtest.h>

#include "record/evidence_table.h"
#include "rules/pages.h"
#include "rules/pins.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

constexpr const char* kReference = "native";

const std::vector<EvidenceTable>& tables_of_evidence() {
  static const std::vector<EvidenceTable> all = [] {
    const auto read = read_evidence(ORDERCHECK_SOURCE_DIR "/matrix/evidence");
    EXPECT_TRUE(read) << (read ? "" : read.error().message);
    return read ? *read : std::vector<EvidenceTable>{};
  }();
  return all;
}

// Pages that call fundamental what some run of the reference implementation got right.
std::vector<std::string> refuted(const std::vector<Rule>& rules) {
  std::vector<std::string> ids;
  for (const Rule& rule : rules) {
    // What fits depends on sizes that a run may have.
    if (rule.basis != Basis::fundamental || rule.kind == RuleKind::fits) continue;
    for (const EvidenceTable& table : tables_of_evidence()) {
      if (table.engine != kReference || table.rows.empty()) continue;
      const Observation* bad = find_run(table.rows, rule.witness.bad, rule.witness, kReference, table.rows.front().version);
      if (bad != nullptr && bad->verdict == Verdict::equal) ids.push_back(rule.id);
    }
  }
  return ids;
}

TEST(Fundamental, IsWrongInTheReferenceImplementationToo) { EXPECT_EQ(refuted(pages()), std::vector<std::string>{}); }

// That the test can fail: one such page, of an order that the reference implementation gets right.
TEST(Fundamental, IsNotWhatARunGotRight) {
  std::vector<Rule> rules = pages();
  for (Rule& rule : rules) {
    if (rule.id != "ORD-001") continue;
    rule.basis = Basis::fundamental;
  }
  EXPECT_EQ(refuted(rules), std::vector<std::string>{"ORD-001"});
}

}  // namespace
}  // namespace ordercheck
