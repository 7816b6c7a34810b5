#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "record/evidence_table.h"

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
  table.rows.push_back({.engine = table.engine, .version = "2.11.0", .case_text = "ac", .verdict = Verdict::equal});
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

}  // namespace
}  // namespace ordercheck
