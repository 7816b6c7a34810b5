// Rooms include what src/layers.txt allows, print and exit only where they may, and are linked as they are layered.
#include "form/layers.h"

#include <array>
#include <cstdlib>
#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ordercheck::form {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Layers real_layers() {
  const Result<Layers> layers = parse_layers(lines_of(*read_file(checkout() / "src/layers.txt")));
  EXPECT_TRUE(layers) << (layers ? "" : layers.error().message);
  return layers ? *layers : Layers{};
}

std::vector<SourceFile> cpp_files() {
  std::vector<SourceFile> files = files_under("src");
  std::erase_if(files, [](const SourceFile& file) {
    const std::string extension = extension_of(file.path);
    return extension != ".h" && extension != ".cpp" && extension != ".cu" && extension != ".cuh";
  });
  return files;
}

// A cheap look before the slow regular expression.
bool has_any_of_its_words(const std::string& line) {
  return std::ranges::any_of(std::array{"cout", "cerr", "clog", "exit", "put", "print", "iostream"},
                             [&](const char* word) { return line.find(word) != line.npos; });
}

// Lines that write to a stream of the process or end it. `_exit` after a fork is neither; nor is an end that a fault
// asks for, which is an abort or a quick_exit.
std::vector<std::string> prints_or_exits(const SourceFile& file) {
  static const std::regex pattern(
      R"((\bstd::(cout|cerr|clog|exit|puts|printf|putchar)\b|\b(fmt|std)::print(ln)?\(|[^\w:.>](exit|printf|puts|putchar)\(|<iostream>))");
  std::vector<std::string> found;
  for (std::size_t number = 1; number <= file.lines.size(); ++number) {
    if (!has_any_of_its_words(file.lines[number - 1])) continue;
    const std::string code = " " + file.lines[number - 1].substr(0, file.lines[number - 1].find("//"));
    if (std::regex_search(code, pattern))
      found.push_back(file.path + ":" + std::to_string(number) +
                      ": prints or exits; return the text or a Result, and "
                      "let src/cli/ (or the worker's loop in src/native/train/) say it: " +
                      std::string(trim(code)));
  }
  return found;
}

TEST(Layers, EveryIncludeIsAllowed) {
  const Layers layers = real_layers();
  const std::vector<SourceFile> files = cpp_files();
  ASSERT_GT(files.size(), 20u);
  for (const SourceFile& file : files)
    for (const std::string& violation : forbidden_includes(layers, file)) ADD_FAILURE() << violation;
}

TEST(Layers, OnlyTheCommandLineAndTheWorkerPrintAndExit) {
  for (const SourceFile& file : cpp_files()) {
    if (starts_with_any(file.path, {"src/cli/", "src/native/train/main", "src/native/train/serve", "src/native/train/launch"}))
      continue;
    for (const std::string& violation : prints_or_exits(file)) ADD_FAILURE() << violation;
  }
}

TEST(Layers, RoomsAreLinkedAsTheyAreLayered) {
  const Layers layers = real_layers();
  const std::regex room_line(R"(^ *ordercheck_room\(([\w/]+)(?: USES ([\w/ ]+?))?(?: LINKS .*)?\)$)");
  std::set<std::string> linked;
  for (const std::string& line : lines_of(*read_file(checkout() / "src/CMakeLists.txt"))) {
    std::smatch match;
    if (!std::regex_match(line, match, room_line)) continue;
    const std::string room = room_of(layers, match[1].str() + "/");
    linked.insert(room);
    ASSERT_TRUE(layers.contains(room)) << match[1] << " of src/CMakeLists.txt is no room of src/layers.txt";
    for (const std::string& used : split(match[2].str(), ' '))
      EXPECT_TRUE(used.empty() || layers.at(room).contains(room_of(layers, used + "/")))
          << "src/CMakeLists.txt links " << match[1] << " to " << used << ", which src/layers.txt does not allow";
  }
  for (const auto& [room, allowed] : layers) {
    if (room == "cli" || room.rfind("native/", 0) == 0) continue;
    EXPECT_TRUE(linked.contains(room)) << room << " of src/layers.txt has no ordercheck_room in src/CMakeLists.txt";
  }
}

TEST(Layers, AreDrawnInContributing) {
  const std::string command = "'" + (checkout() / "scripts/draw-layers").string() + "' --check";
  EXPECT_EQ(std::system(command.c_str()), 0) << "CONTRIBUTING.md is behind src/layers.txt; run scripts/draw-layers";
}

// The checks above, on files that are wrong.

Layers small_layers() {
  return *parse_layers({"# a comment", "base:  # for all", "stack: base  # what is applied", "rule: stack", "rules: rule",
                        "native/world: stack", "report: rules", "report/html: report"});
}

TEST(LayersFile, IsTransitiveAndHasNoCycles) {
  EXPECT_THAT(small_layers().at("rule"), ElementsAre("base", "rule", "stack"));
  const Result<Layers> forward = parse_layers({"base: stack", "stack: base"});
  ASSERT_FALSE(forward);
  EXPECT_EQ(forward.error().message, "src/layers.txt:1: 'stack' is no room of a line above");
  EXPECT_FALSE(parse_layers({"base"}));
}

TEST(RoomOf, IsAFolderOrWhereRoomsAreNamedInItAFolderThere) {
  const auto room = [](const char* path) { return room_of(small_layers(), path); };
  EXPECT_EQ(room("stack/mesh.h"), "stack");
  EXPECT_EQ(room("rules/parts/a.h"), "rules") << "its folders are no rooms";
  EXPECT_EQ(room("native/world/world.h"), "native/world");
  EXPECT_EQ(room("report/html/page.h"), "report/html");
  EXPECT_EQ(room("report/html/parts/a.h"), "report/html");
  EXPECT_EQ(room("report/sources.h"), "report");
  EXPECT_EQ(room("report/attic/a.h"), "report/attic") << "which no line names yet";
  EXPECT_EQ(room("mesh.h"), "");
}

TEST(ForbiddenIncludes, NamesFileLineAndWhatIsAllowed) {
  EXPECT_THAT(forbidden_includes(small_layers(), {"src/stack/a.h", {"#pragma once", "#include \"rule/rule.h\""}}),
              ElementsAre("src/stack/a.h:2: includes \"rule/rule.h\" of room 'rule'; 'stack' may include base, stack, "
                          "by paths relative to src/"));
  EXPECT_THAT(forbidden_includes(small_layers(), {"src/rule/a.cpp", {"#include \"base/text.h\"", "#include <string>"}}),
              IsEmpty());
  EXPECT_THAT(forbidden_includes(small_layers(), {"src/rule/a.cpp", {"  #include \"rule.h\""}}),
              ElementsAre(HasSubstr("by paths relative to src/")));
  EXPECT_THAT(forbidden_includes(small_layers(), {"src/attic/a.cpp", {}}), ElementsAre(HasSubstr("in no room")));
}

TEST(ForbiddenIncludes, LibtorchIsForNativeAndBoostForSourcesOfRules) {
  const auto count = [](const char* path, const char* line) {
    return forbidden_includes(small_layers(), {path, {line}}).size();
  };
  EXPECT_EQ(count("src/rule/a.cpp", "#include <ATen/ATen.h>"), 1u);
  EXPECT_EQ(count("src/rule/a.cpp", "#include \"torch/csrc/autograd/engine.h\""), 2u) << "no room either";
  EXPECT_EQ(count("src/native/world/a.cpp", "#include <torch/csrc/autograd/engine.h>"), 0u);
  EXPECT_EQ(count("src/rules/a.cpp", "#include <boost/graph/adjacency_list.hpp>"), 0u);
  EXPECT_EQ(count("src/rules/a.h", "#include <boost/graph/adjacency_list.hpp>"), 1u);
  EXPECT_EQ(count("src/rule/a.cpp", "#include <boost/graph/adjacency_list.hpp>"), 1u);
}

TEST(PrintsOrExits, SeesStreamsAndEnds) {
  for (const char* line :
       {"  std::cout << 1;", "#include <iostream>", "  exit(2);", "  std::exit(2);", "fmt::print(\"x\");", "  printf(\"x\");"})
    EXPECT_EQ(prints_or_exits({"src/rule/a.cpp", {line}}).size(), 1u) << line;
  for (const char* line : {"  _exit(127);", "  ::_exit(127);", "text += print(stack);", "// exit(2)", "loop.exit(2);",
                           "snprintf(buffer, 3, \"x\");", "void at_exit(int code);"})
    EXPECT_THAT(prints_or_exits({"src/rule/a.cpp", {line}}), IsEmpty()) << line;
}

}  // namespace
}  // namespace ordercheck::form
