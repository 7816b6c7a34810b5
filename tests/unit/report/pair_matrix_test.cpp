#include "report/pair_matrix.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "unit/report/mini.h"

namespace ordercheck {
namespace {

PairCell cell(const PairMatrix& matrix, const std::string& before, const std::string& after) {
  const auto row = std::ranges::find(matrix.rows, before, &PairRow::name);
  const auto column = std::ranges::find(matrix.names, after) - matrix.names.begin();
  EXPECT_NE(row, matrix.rows.end()) << before;
  return row->cells.at(static_cast<std::size_t>(column));
}

TEST(PairMatrix, HoldsTheTransformsThatRulesName) {
  const Sources sources = mini();
  EXPECT_EQ(pair_matrix(sources, {}).names, (std::vector<std::string>{"tp", "ac", "fsdp", "hsdp"}));
}

TEST(PairMatrix, SaysWhatPagesSayAndWhatRunsShowed) {
  const Sources sources = mini();
  const PairMatrix matrix = pair_matrix(sources, observed_engines(sources));
  EXPECT_EQ(cell(matrix, "fsdp", "tp").text, "no [ORD-901](rules/fsdp-before-tp.md), native 2.11.0: fails in apply");
  EXPECT_EQ(cell(matrix, "tp", "fsdp").text, "yes [ORD-901](rules/fsdp-before-tp.md), native 2.11.0: equal");
  EXPECT_EQ(cell(matrix, "ac", "tp").word, PairWord::contested);
  EXPECT_EQ(cell(matrix, "ac", "fsdp").word, PairWord::commutes);
  EXPECT_EQ(cell(matrix, "fsdp", "hsdp").text, "open, not run");
  EXPECT_EQ(cell(matrix, "tp", "tp").text, "-");
}

TEST(PairMatrix, SaysNotRunWithoutARun) {
  EXPECT_EQ(cell(pair_matrix(mini_unrun(), {}), "tp", "fsdp").text, "yes [ORD-901](rules/fsdp-before-tp.md), not run");
}

}  // namespace
}  // namespace ordercheck
