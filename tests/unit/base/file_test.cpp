#include "base/file.h"

#include <cstdlib>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ordercheck {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class FileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "ordercheck-file-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_;
};

TEST_F(FileTest, ReadsBackWhatWasWritten) {
  const std::string contents("a\0b\nend", 7);
  ASSERT_TRUE(replace_file(folder_ / "f", contents));
  const Result<std::string> read = read_file(folder_ / "f");
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, contents);
}

TEST_F(FileTest, ReadsMoreThanOneBuffer) {
  const std::string contents(300'000, 'x');
  ASSERT_TRUE(replace_file(folder_ / "f", contents));
  EXPECT_EQ(*read_file(folder_ / "f"), contents);
}

TEST_F(FileTest, ReplacesWholeAndLeavesNothingBeside) {
  ASSERT_TRUE(replace_file(folder_ / "f", "a long first version"));
  ASSERT_TRUE(replace_file(folder_ / "f", "short"));
  EXPECT_EQ(*read_file(folder_ / "f"), "short");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(FileTest, AReaderKeepsTheOldFileWhole) {
  ASSERT_TRUE(replace_file(folder_ / "f", "old"));
  std::ifstream reader(folder_ / "f");
  ASSERT_TRUE(replace_file(folder_ / "f", "new"));
  std::string seen;
  reader >> seen;
  EXPECT_EQ(seen, "old");
}

TEST_F(FileTest, KeepsTheModeOfTheFile) {
  ASSERT_TRUE(replace_file(folder_ / "f", "old"));
  fs::permissions(folder_ / "f", fs::perms::owner_all);
  ASSERT_TRUE(replace_file(folder_ / "f", "new"));
  EXPECT_EQ(fs::status(folder_ / "f").permissions(), fs::perms::owner_all);
}

TEST_F(FileTest, ErrorsNameThePathAndTheReason) {
  const Result<std::string> missing = read_file(folder_ / "missing");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr((folder_ / "missing").string() + ": No such file or directory"));

  const Result<std::string> of_a_folder = read_file(folder_);
  ASSERT_FALSE(of_a_folder);
  EXPECT_THAT(of_a_folder.error().message, HasSubstr("Is a directory"));

  const Status nowhere = replace_file(folder_ / "no" / "folder", "x");
  ASSERT_FALSE(nowhere);
  EXPECT_THAT(nowhere.error().message, HasSubstr("No such file or directory"));
}

TEST_F(FileTest, CreatesAFileOnlyWhereNoneIs) {
  ASSERT_TRUE(create_file(folder_ / "f", "first"));
  const Status again = create_file(folder_ / "f", "second");
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().message, HasSubstr((folder_ / "f").string() + ": File exists"));
  EXPECT_EQ(*read_file(folder_ / "f"), "first");
  // A symlink to a missing file is in the way too.
  fs::create_symlink("missing", folder_ / "link");
  EXPECT_FALSE(create_file(folder_ / "link", "x"));
  EXPECT_FALSE(fs::exists(folder_ / "missing"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 2);
}

TEST_F(FileTest, AFailedReplaceLeavesNothingBehind) {
  fs::create_directory(folder_ / "in_the_way");
  ASSERT_FALSE(replace_file(folder_ / "in_the_way", "x"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

}  // namespace
}  // namespace ordercheck
