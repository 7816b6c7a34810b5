#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "evidence/table.h"
#include "unit/parity/sample_record.h"

namespace ordercheck {
namespace {

namespace fs = std::filesystem;

class Store : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              ("evidence_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
};

EvidenceTable table_of(std::string engine) {
  EvidenceTable table{.engine = std::move(engine), .versions = {"libtorch 2.11.0"}, .device = "cpu"};
  table.rows.push_back({.case_text = "ac", .verdict = Verdict::equal});
  return table;
}

TEST_F(Store, WhatIsWrittenIsRead) {
  EXPECT_TRUE(read_evidence(folder_)->empty());
  ASSERT_TRUE(write_evidence(folder_, table_of("pytorch")));
  ASSERT_TRUE(write_evidence(folder_, table_of("native")));
  const auto tables = read_evidence(folder_);
  ASSERT_TRUE(tables) << tables.error().message;
  ASSERT_EQ(tables->size(), 2u);
  EXPECT_EQ((*tables)[0], table_of("native"));
  EXPECT_EQ((*tables)[1], table_of("pytorch"));
}

TEST_F(Store, WritingTwiceGivesTheSameBytes) {
  ASSERT_TRUE(write_evidence(folder_, table_of("native")));
  const auto path = evidence_path(folder_, table_of("native"));
  const auto once = *read_file(path);
  ASSERT_TRUE(write_evidence(folder_, table_of("native")));
  EXPECT_EQ(*read_file(path), once);
}

TEST_F(Store, ATornTableIsAnErrorWithItsLine) {
  ASSERT_TRUE(write_evidence(folder_, table_of("native")));
  const auto path = evidence_path(folder_, table_of("native"));
  const auto whole = *read_file(path);
  ASSERT_TRUE(replace_file(path, whole.substr(0, whole.size() - 40)));
  const auto tables = read_evidence(folder_);
  ASSERT_FALSE(tables);
  EXPECT_THAT(tables.error().message, testing::HasSubstr("libtorch-2.11.0-cpu.tsv:7: "));
}

TEST_F(Store, AFileInTheWayOfTheFolderIsOneLine) {
  fs::create_directories(folder_);
  ASSERT_TRUE(replace_file(folder_ / "native", "in the way"));
  const auto status = write_evidence(folder_, table_of("native"));
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, testing::HasSubstr("cannot make the folder"));
}

TEST(EvidenceRow, OfAFailureKeepsItsPlaceAndNoCounters) {
  Record record = sample_failure(Ending::failed, Phase::apply, "mixed tensors");
  record.failure->module = "layers.0";
  record.failure->operation = "all_gather";
  record.failure->group = "tp";
  record.counters.matmul_flops = 5;
  const auto row = evidence_row("ac,tp=2", record, {.verdict = Verdict::fails, .reason = "failed"});
  EXPECT_EQ(row.phase, "apply");
  EXPECT_EQ(row.place, "layers.0");
  EXPECT_EQ(row.operation, "all_gather");
  EXPECT_EQ(row.group, "tp");
  EXPECT_EQ(place_in_words(row), "layers.0, all_gather on tp");
  EXPECT_EQ(row.message, "mixed tensors");
  EXPECT_EQ(row.counters, Counters{});
  EXPECT_EQ(row.digest, digest(record));
}

TEST(EvidenceRow, OfADifferenceNamesTheFirst) {
  Judgement judgement{.verdict = Verdict::differs, .reason = "gradient ..."};
  judgement.difference = Difference{.what = "loss", .step = 1, .rank = 2};
  const auto row = evidence_row("fsdp=2", sample_record(2), judgement);
  EXPECT_EQ(row.place, "loss, step 1, rank 2");
  EXPECT_EQ(row.message, "gradient ...");
  EXPECT_EQ(row.counters.matmul_flops, 960);
}

}  // namespace
}  // namespace ordercheck
