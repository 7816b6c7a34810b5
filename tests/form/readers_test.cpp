// Whatever reads what others wrote is given any bytes at all by tests/fuzz.
#include <cctype>
#include <map>
#include <regex>
#include <set>

#include <gtest/gtest.h>

#include "form/source_tree.h"

namespace ordercheck::form {
namespace {

// Readers that tests/fuzz does not call by name, and why it need not.
const std::map<std::string, std::string>& not_called() {
  static const std::map<std::string, std::string> reasons{
      {"parse_toml", "every TOML file is read through it"},
      {"parse_page", "parse_rule reads its frame through it"},
      {"parse_item", "parse_stack reads items through it"},
      {"read_yaml", "import_text reads YAML through it"},
      {"read_json", "import_text reads JSON through it"},
      {"read_toml", "import_text reads TOML through it"},
      {"read_shell", "import_text reads scripts through it"},
      {"case_of", "decode_run reads a case through it"},
      {"parse_launched_cases", "parse_case reads each of its lines"},
      {"record_of", "decode_record reads through it"},
      {"read_project", "one file for parse_project"},
      {"load_durations", "one file for parse_durations"},
      {"load_engine_files", "a folder of files for parse_engine_file"},
      {"load_space", "one file for parse_space"},
      {"load_space_of", "one file for parse_space"},
      {"load_changes", "one file for parse_changes"},
      {"load_mutant_rows", "one file for parse_mutant_rows, and one for parse_error_classes"},
      {"load_error_classes", "one file for parse_error_classes"},
      {"load_mutant_table", "one file for parse_mutant_table"},
      {"load_topics", "one file for parse_topics"},
      {"load_frameworks", "a folder of files for parse_framework"},
      {"load_pages", "a folder of files for parse_rule"},
      {"load_knowledge", "rule pages and tables of evidence"},
      {"load_knowledge_of_checked_engines", "load_knowledge reads it"},
      {"load_sources", "rule pages and the files of matrix/"},
      {"with_block", "a page of this repository, for `ordercheck docs`"},
  };
  return reasons;
}

// Files that open a file themselves, and what they give its bytes to.
const std::map<std::string, std::string>& openers() {
  static const std::map<std::string, std::string> readers{
      {"src/base/file.cpp", "read_file"},
      {"src/cli/explain/log.cpp", "errors_in"},
      {"src/cli/matrix/diff.cpp", "parse_evidence"},
      {"src/cli/matrix/merge.cpp", "parse_evidence"},
      {"src/cli/matrix/html_page.cpp", "render_html"},  // a template, only whether it is there
      {"src/cli/project/check_code.cpp", "scan_code"},  // lines of code, for `# ordercheck: ignore[...]`
      {"src/cli/project/found_project.cpp", "parse_project"},
      {"src/cli/project/project.cpp", "with_stack"},
      {"src/cli/shared/job_choice.cpp", "read_config"},
      {"src/cli/shared/written_stack.cpp", "import_text"},
      {"src/engine/engine_file.cpp", "parse_engine_file"},
      {"src/engine/journal.cpp", "Journal::open"},
      {"src/evidence/engine_sources.cpp", "hash_of"},  // of its bytes
      {"src/evidence/mutant_table.cpp", "parse_mutant_table"},
      {"src/evidence/store.cpp", "parse_evidence"},
      {"src/plan/changed.cpp", "parse_changes"},
      {"src/plan/durations.cpp", "parse_durations"},
      {"src/plan/error_classes.cpp", "parse_error_classes"},
      {"src/plan/framework.cpp", "parse_framework"},
      {"src/plan/mutants.cpp", "parse_mutant_rows"},
      {"src/plan/space.cpp", "parse_space"},
      {"src/protocol/flight_reader.cpp", "read_flight"},
      {"src/report/pages/docs.cpp", "with_block"},  // templates and pages of this repository
      {"src/report/pages/topics.cpp", "parse_topics"},
      {"src/report/html/html.cpp", "render_template"},  // likewise
      {"src/rule/load.cpp", "parse_rule"},
      {"src/trial/values.cpp", "read_values"},
  };
  return readers;
}

std::string text_of(const SourceFile& file) { return join(file.lines, "\n"); }

std::string all_of(const std::string& folder) {
  std::string all;
  for (const SourceFile& file : files_under(folder)) all += text_of(file) + "\n";
  return all;
}

bool is_word_of(const std::string& text, const std::string& word) {
  const auto in_word = [&](std::size_t at) { return at < text.size() && (std::isalnum(text[at]) != 0 || text[at] == '_'); };
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    if ((at == 0 || !in_word(at - 1)) && !in_word(at + word.size())) return true;
  return false;
}

// Every function of a header that makes a value of what others wrote.
std::set<std::string> readers() {
  static const std::regex kReader(
      R"((?:Result|optional)<.*>\s+(?:((?:parse|read|load|decode|unescape|merge)_\w+|with_block)\()"
      R"((?:std::string_view|const std::string&|const std::filesystem::path&|std::vector<Part>)|(\w+_of)\(const nlohmann::json&))");
  std::set<std::string> names;
  for (const SourceFile& file : files_under("src")) {
    if (extension_of(file.path) != ".h") continue;
    for (const std::string& line : file.lines) {
      std::smatch found;
      if (line.find('>') == std::string::npos || !std::regex_search(line, found, kReader)) continue;
      names.insert(found[1].matched ? found[1] : found[2]);
    }
  }
  return names;
}

TEST(Readers, AreGivenAnyBytesByAFuzzer) {
  const std::string fuzzers = all_of("tests/fuzz");
  const auto names = readers();
  EXPECT_GT(names.size(), 30u) << "the readers in the headers are not found any more";
  for (const std::string& name : names) {
    const bool called = is_word_of(fuzzers, name);
    EXPECT_NE(called, not_called().contains(name))
        << name
        << (called ? " is called in tests/fuzz: take it off the list of those that are not"
                   : " reads what others wrote: give it a format in tests/fuzz, or a reason in tests/form/readers_test.cpp");
  }
  for (const auto& [name, reason] : not_called()) EXPECT_TRUE(names.contains(name)) << name << " is no reader any more";
}

TEST(Readers, HaveALibFuzzerProgramAFormat) {
  static const std::regex kFormat(R"re(\{"(\w+)",\s+check_)re");
  const std::string fuzzers = all_of("tests/fuzz");
  const std::string listed = text_of({"tests/CMakeLists.txt", lines_of(*read_file(checkout() / "tests/CMakeLists.txt"))});
  const std::size_t begin = listed.find("foreach(format "), end = listed.find(')', begin);
  ASSERT_NE(end, std::string::npos) << "tests/CMakeLists.txt lists the formats no more";
  const std::string programs = listed.substr(begin, end - begin);
  std::size_t formats = 0;
  for (std::sregex_iterator at(fuzzers.begin(), fuzzers.end(), kFormat), none; at != none; ++at, ++formats)
    EXPECT_TRUE(is_word_of(programs, (*at)[1])) << "add " << (*at)[1] << " to the formats in tests/CMakeLists.txt";
  EXPECT_GT(formats, 20u);
}

TEST(Readers, GetEveryFileThatIsOpened) {
  const std::vector<std::string> kOpens{"read_file(", "ifstream", "fopen(", "O_RDONLY"};
  for (const SourceFile& file : files_under("src")) {
    if (extension_of(file.path) != ".cpp" || file.path.starts_with("src/ranks/")) continue;
    const std::string text = text_of(file);
    const auto known = openers().find(file.path);
    const bool opens = std::ranges::any_of(kOpens, [&](const auto& call) { return text.find(call) != std::string::npos; });
    EXPECT_EQ(opens, known != openers().end())
        << file.path << (opens ? " opens a file: say here what reads its bytes" : " opens no file any more");
    if (known == openers().end()) continue;
    EXPECT_NE(text.find(known->second), std::string::npos) << file.path << " does not use " << known->second;
  }
}

}  // namespace
}  // namespace ordercheck::form
