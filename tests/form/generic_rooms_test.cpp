// Rooms that judge, plan, run and report name no engine, no project and no release: an engine says in its file and its hello what
// it is. What a report is about is data, so that no report names a transform. Comments may give examples.
#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "form/source_tree.h"
#include "stack/transforms.h"

namespace ordercheck::form {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<std::string> kRooms{"src/rules", "src/matrix", "src/report"};
// How a Python with torch is found, and how releases of PyTorch are named in targets and pages of rules.
const std::vector<std::string> kAboutPyTorch{"src/matrix/pytorch_engine", "src/matrix/engine_file.cpp",
                                             "src/matrix/knowledge.cpp", "src/rules/glossary.h", "src/rules/holds.cpp"};

// Without the comment behind it; what includes a file names a file.
std::string code_of(const std::string& line) {
  const std::string code(trim(std::string_view(line).substr(0, line.find("//"))));
  return code.starts_with("#include") ? "" : code;
}

std::vector<std::string> engines_and_projects() {
  std::vector<std::string> names{"torch", "inductor"};
  for (const char* folder : {"matrix/engines", "matrix/frameworks"})
    for (const SourceFile& file : files_under(folder)) names.push_back(std::filesystem::path(file.path).stem().string());
  return names;
}

std::vector<std::string> lines_that_match(const std::vector<SourceFile>& files, const std::regex& pattern) {
  std::vector<std::string> found;
  for (const SourceFile& file : files)
    for (std::size_t number = 1; number <= file.lines.size(); ++number)
      if (const std::string code = code_of(file.lines[number - 1]); std::regex_search(code, pattern))
        found.push_back(file.path + ":" + std::to_string(number) + ": " + code);
  return found;
}

std::regex any_of(const std::vector<std::string>& names) {
  return std::regex("(^|[^a-zA-Z])(" + join(names, "|") + ")([^a-zA-Z]|$)", std::regex::icase);
}

// Written out in quotes: "fsdp".
std::regex any_quoted(const std::vector<std::string>& names) { return std::regex("\"(" + join(names, "|") + ")[=:\"]"); }

TEST(GenericRooms, NameNoEngineAndNoProject) {
  const std::regex names = any_of(engines_and_projects());
  for (const std::string& room : kRooms) {
    std::vector<SourceFile> files = files_under(room);
    std::erase_if(files, [](const SourceFile& file) {
      return std::ranges::any_of(kAboutPyTorch, [&](const std::string& path) { return file.path.starts_with(path); });
    });
    EXPECT_THAT(lines_that_match(files, names), IsEmpty());
  }
}

TEST(GenericRooms, ReportNamesNoTransform) {
  std::vector<std::string> names = names_in(transforms());
  std::erase(names, "forward");  // a phase has that name, too
  EXPECT_THAT(lines_that_match(files_under("src/report"), any_quoted(names)), IsEmpty());
}

TEST(GenericRooms, AreSearchedForWhatIsWrittenOut) {
  const std::vector<SourceFile> files{
      {"a.cpp", {"// native", "if (c.engine == \"native\") return;", "#include \"native/a.h\"", "alternatives();"}},
      {"b.cpp", {"add(\"fsdp\");", "add(\"fsdps\"); // \"tp\"", "parse(\"tp=2,ac\");"}}};
  EXPECT_THAT(lines_that_match(files, any_of({"native"})), ElementsAre("a.cpp:2: if (c.engine == \"native\") return;"));
  EXPECT_THAT(lines_that_match(files, any_quoted({"fsdp", "tp"})),
              ElementsAre("b.cpp:1: add(\"fsdp\");", "b.cpp:3: parse(\"tp=2,ac\");"));
}

}  // namespace
}  // namespace ordercheck::form
