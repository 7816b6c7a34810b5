// Runs every tests/cli/*.test.
#include "cli/script.h"

#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/text.h"

namespace ordercheck {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> scripts() {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(ORDERCHECK_SOURCE_DIR "/tests/cli"))
    if (entry.path().extension() == ".test") paths.push_back(entry.path());
  std::ranges::sort(paths);
  return paths;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) text.replace(at, from.size(), to);
  return text;
}

struct Ran {
  std::string output;
  int exit_code = -1;
};

Ran run_shell(const std::string& command) {
  Ran ran;
  FILE* pipe = popen(("{ " + command + "\n} 2>&1").c_str(), "r");
  if (pipe == nullptr) return ran;
  char buffer[4096];
  for (std::size_t got = 0; (got = fread(buffer, 1, sizeof buffer, pipe)) > 0;) ran.output.append(buffer, got);
  const int status = pclose(pipe);
  ran.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ran;
}

class CommandLine : public testing::TestWithParam<fs::path> {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "ordercheck-cli-XXXXXX").string();
    tmp_ = mkdtemp(pattern.data());
    fs::current_path(ORDERCHECK_SOURCE_DIR);
    setenv("PATH", (std::string(ORDERCHECK_BINARY_DIR) + "/bin:" + path_).c_str(), 1);
    setenv("ORDERCHECK_RULES", ORDERCHECK_SOURCE_DIR "/rules", 1);
    setenv("XDG_CACHE_HOME", (tmp_ / "cache").c_str(), 1);
    for (const char* set_outside : {"ORDERCHECK_WORKER", "ORDERCHECK_DRIVER"}) unsetenv(set_outside);
  }
  void TearDown() override {
    fs::permissions(tmp_, fs::perms::owner_all, fs::perm_options::add);
    fs::remove_all(tmp_);
  }

  // Longer paths first: the build folder lies in the repository.
  std::vector<std::pair<std::string, std::string>> places() const {
    return {{"{data}", ORDERCHECK_SOURCE_DIR "/tests/cli/data"},
            {"{bin}", ORDERCHECK_BINARY_DIR "/bin"},
            {"{tmp}", tmp_.string()},
            {"{source}", ORDERCHECK_SOURCE_DIR}};
  }

  fs::path tmp_;
  const std::string path_ = std::getenv("PATH");
};

TEST_P(CommandLine, IsAsWritten) {
  const auto text = read_file(GetParam());
  ASSERT_TRUE(text) << text.error().message;
  const Script script = parse_script(*text);
  ASSERT_EQ(script.error, "") << GetParam();
  if (script.needs_worker && !fs::exists(ORDERCHECK_BINARY_DIR "/bin/ordercheck-ranks"))
    GTEST_SKIP() << "the native worker was not built (preset core)";
  for (const ScriptStep& step : script.steps) {
    std::string command = step.command;
    for (const auto& [name, path] : places()) command = replaced(command, name, path);
    Ran ran = run_shell(command);
    for (const auto& [name, path] : places()) ran.output = replaced(ran.output, path, name);
    auto lines = split(ran.output, '\n');
    if (lines.back().empty()) lines.pop_back();
    EXPECT_TRUE(lines_match(step.expected, lines))
        << GetParam().string() << ":" << step.line << ": $ " << step.command << "\nexpected:\n"
        << join(step.expected, "\n") << "\nprinted:\n"
        << ran.output;
    EXPECT_EQ(ran.exit_code, step.exit_code) << GetParam().string() << ":" << step.line << ": $ " << step.command << "\n"
                                             << ran.output;
  }
}

INSTANTIATE_TEST_SUITE_P(Scripts, CommandLine, testing::ValuesIn(scripts()),
                         [](const auto& info) { return replaced(info.param.stem().string(), "-", "_"); });

TEST(Script, DotsMatchAnyTextAndAnyLines) {
  EXPECT_TRUE(lines_match({"a", "...", "z"}, {"a", "z"}));
  EXPECT_TRUE(lines_match({"a", "...", "z"}, {"a", "b", "z", "z"}));
  EXPECT_FALSE(lines_match({"a", "...", "z"}, {"a", "b"}));
  EXPECT_TRUE(lines_match({"one ... three"}, {"one two three"}));
  EXPECT_FALSE(lines_match({"one ... three"}, {"one two threes"}));
  EXPECT_TRUE(lines_match({"one ..."}, {"one two"}));
  EXPECT_FALSE(lines_match({"one"}, {"one two"}));
  EXPECT_FALSE(lines_match({}, {"one"}));
}

TEST(Script, AFileThatIsNoneIsSeen) {
  EXPECT_EQ(parse_script("$ a\nout\nexit 0\n").error, "");
  EXPECT_NE(parse_script("$ a\nout\n").error, "");
  EXPECT_NE(parse_script("out\n").error, "");
  EXPECT_NE(parse_script("").error, "");
  EXPECT_NE(parse_script("$ a\n$ b\nexit 0\n").error, "");
  EXPECT_NE(parse_script("$ a\nexit nine\n").error, "");
}

}  // namespace
}  // namespace ordercheck
