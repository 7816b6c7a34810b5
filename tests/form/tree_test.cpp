// Where files lie, how long they are, and what they may not be called.
#include <set>

#include <gtest/gtest.h>

#include "form/source_tree.h"

namespace ordercheck::form {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongest = 400;
constexpr std::size_t kMostInBase = 15;

bool is_code(const std::string& path) {
  static const std::set<std::string> kExtensions{".h", ".cpp", ".cu", ".cuh", ".py", ".sh", ".cmake"};
  return kExtensions.contains(extension_of(path)) || path.rfind("scripts/", 0) == 0;
}

TEST(Tree, NoFileIsLongerThanFourHundredLines) {
  for (const char* folder : {"src", "tests", "scripts"}) {
    for (const SourceFile& file : files_under(folder)) {
      if (!is_code(file.path)) continue;
      EXPECT_LE(file.lines.size(), kLongest)
          << file.path << " has " << file.lines.size() << " lines; split it, one idea a file";
    }
  }
}

TEST(Tree, BaseStaysSmall) {
  EXPECT_LE(files_under("src/base").size(), kMostInBase) << "src/base is for what knows no domain word; move the rest";
}

TEST(Tree, EveryUnitTestMirrorsASource) {
  std::size_t seen = 0;
  for (const SourceFile& file : files_under("tests/unit")) {
    const std::string suffix = "_test.cpp";
    if (!file.path.ends_with(suffix)) continue;
    ++seen;
    const std::string stem = file.path.substr(std::string("tests/unit/").size(),
                                              file.path.size() - std::string("tests/unit/").size() - suffix.size());
    EXPECT_TRUE(fs::exists(checkout() / ("src/" + stem + ".cpp")) || fs::exists(checkout() / ("src/" + stem + ".h")))
        << file.path << " tests nothing: there is no src/" << stem << ".cpp or .h; name it after what it tests";
  }
  EXPECT_GT(seen, 10u);
}

TEST(Tree, NothingIsCalledAfterNothing) {
  const std::set<std::string> kEmptyWords{"util", "utils", "common", "helper", "helpers", "manager", "misc"};
  for (const char* folder : {"src", "tests", "scripts"}) {
    for (const auto& entry : fs::recursive_directory_iterator(checkout() / folder)) {
      EXPECT_FALSE(kEmptyWords.contains(entry.path().stem().string()))
          << fs::relative(entry.path(), checkout()) << ": name it after what it is about";
    }
  }
}

TEST(LinesOf, CountsALastLineWithoutItsNewline) {
  EXPECT_EQ(lines_of("a\nb\n").size(), 2u);
  EXPECT_EQ(lines_of("a\nb").size(), 2u);
}

}  // namespace
}  // namespace ordercheck::form
