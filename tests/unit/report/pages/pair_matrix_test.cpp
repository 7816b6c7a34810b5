#include "report/pages/pair_matrix.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "unit/report/pages/mini.h"

namespace ordercheck {
namespace {

Shown cell(const PairMatrix& matrix, const std::string& first, const std::string& second) {
  const auto row = std::ranges::find(matrix.rows, first, &PairRow::name);
  const auto column = std::ranges::find(matrix.names, second) - matrix.names.begin();
  EXPECT_NE(row, matrix.rows.end()) << first;
  return row->cells.at(static_cast<std::size_t>(column));
}

TEST(PairMatrix, SaysWhatRunsOfTheReadersVersionShowed) {
  const Sources sources = mini_on_pytorch();
  const PairMatrix matrix = pair_matrix(sources, engine_runs_of(sources));
  EXPECT_EQ(matrix.names, (std::vector<std::string>{"tp", "ac", "fsdp"}));
  EXPECT_EQ(matrix.never_run, (std::vector<std::string>{"hsdp"}));
  EXPECT_EQ(cell(matrix, "fsdp", "tp"), Shown::fails);
  EXPECT_EQ(cell(matrix, "tp", "fsdp"), Shown::equal);
  EXPECT_EQ(cell(matrix, "tp", "tp"), Shown::not_run);
}

TEST(PairMatrix, HasNothingOfAnotherEngine) {
  const Sources sources = mini();
  const PairMatrix matrix = pair_matrix(sources, engine_runs_of(sources));
  EXPECT_TRUE(matrix.rows.empty());
  EXPECT_EQ(matrix.never_run, (std::vector<std::string>{"tp", "ac", "fsdp", "hsdp"}));
}

}  // namespace
}  // namespace ordercheck
