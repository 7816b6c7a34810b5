#include "record/engine_sources.h"

#include <gtest/gtest.h>

#include "base/file.h"

namespace ordercheck {
namespace {

std::filesystem::path new_folder(const char* name) {
  const auto folder = std::filesystem::path(testing::TempDir()) / name;
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder / "driver");
  return folder;
}

std::string hash_after(const std::filesystem::path& home, const std::string& text) {
  EXPECT_TRUE(replace_file(home / "driver" / "train.py", text));
  return hash_of_sources(home, {"driver"}, "torch 2.15.0");
}

TEST(EngineSources, AreAnotherWhereCodeIs) {
  const auto folder = new_folder("engine_sources");
  const std::string before = hash_after(folder, "def step():\n    return 1\n");
  EXPECT_EQ(before.size(), 16u);
  EXPECT_NE(hash_after(folder, "def step():\n    return 2\n"), before);
  EXPECT_EQ(hash_after(folder, "\"\"\"Trains.\n\nA step.\"\"\"\n# One.\ndef step():\n    \"\"\"One.\"\"\"\n\n    return 1\n"),
            before)
      << "comments, docstrings and blank lines are no code";
  const std::string with_a_string = "TEXT = \"\"\"\n# a\n\"\"\"\ndef step():\n    return ";
  EXPECT_NE(hash_after(folder, with_a_string + "1\n"), hash_after(folder, with_a_string + "2\n")) << "code below a string";
  EXPECT_NE(hash_after(folder, "TEXT = \"\"\"\na\n\"\"\"\n"), hash_after(folder, "TEXT = \"\"\"\nb\n\"\"\"\n"))
      << "a string is code";
  EXPECT_EQ(hash_after(folder, "def step():\n    return 1\n"), before);
  EXPECT_TRUE(replace_file(folder / "driver" / "kernels.tsv", "add\n"));
  EXPECT_NE(hash_of_sources(folder, {"driver"}, "torch 2.15.0"), before);
  EXPECT_EQ(hash_of_sources(folder, {"driver/train.py"}, "torch 2.15.0"), before);
}

TEST(EngineSources, AreThoseOfARelease) {
  const auto folder = new_folder("engine_sources_release");
  std::filesystem::create_directories(folder / "driver" / "release_0_3");
  const auto hash_of = [&](const std::string& version) { return hash_of_sources(folder, {"driver"}, version); };
  EXPECT_TRUE(replace_file(folder / "driver" / "release_0_3" / "job.py", "job = 1\n"));
  const std::string older = hash_of("0.2.2"), newer = hash_of("thing 0.3.0");
  EXPECT_NE(older, newer);
  EXPECT_TRUE(replace_file(folder / "driver" / "release_0_3" / "job.py", "job = 2\n"));
  EXPECT_EQ(hash_of("0.2.2"), older);
  EXPECT_NE(hash_of("thing 0.3.0"), newer);
  EXPECT_EQ(hash_of("thing 0.3.1"), hash_of("thing 0.3.0"));
}

TEST(EngineSources, AreUnknownWhereTheyAreNotInstalled) {
  EXPECT_EQ(hash_of_sources(new_folder("engine_sources_missing"), {"package"}, "torch 2.15.0"), "");
}

TEST(EngineSources, MakeARowStaleThatOthersRan) {
  const Observation row{.sources = "00000000000000aa"};
  EXPECT_FALSE(is_stale(row, "00000000000000aa"));
  EXPECT_TRUE(is_stale(row, "00000000000000bb"));
  EXPECT_FALSE(is_stale(row, "")) << "the sources are not here";
  EXPECT_FALSE(is_stale(Observation{}, "00000000000000bb")) << "no hash was taken";
}

}  // namespace
}  // namespace ordercheck
