// The committed ordering page against the committed runs: no list, count or cure on it says what a run of that version refutes.
#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/text.h"
#include "record/evidence_table.h"
#include "rules/run_support.h"
#include "stack/case.h"
#include "stack/notation.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;

using Verdicts = std::map<std::string, Verdict>;  // of cases of the default model, by stack

// A page of docs/.
const std::string& page(const std::string& name = "parallelism_ordering") {
  static std::map<std::string, std::string> texts;
  std::string& text = texts[name];
  if (text.empty()) text = read_file(ORDERCHECK_SOURCE_DIR "/docs/" + name + ".md").value();
  return text;
}

// "pytorch 2.15.0" of the page's heading.
std::pair<std::string, std::string> target() {
  std::smatch match;
  static const std::regex kTarget(R"(## What goes wrong silently on (\w+) ([0-9.]+)\n)");
  EXPECT_TRUE(std::regex_search(page(), match, kTarget));
  return {match[1], match[2]};
}

const Verdicts& verdicts() {
  static const Verdicts found = [] {
    Verdicts by_stack;
    const auto tables = read_evidence(ORDERCHECK_SOURCE_DIR "/matrix/evidence");
    EXPECT_TRUE(tables);
    const auto [engine, version] = target();
    for (const EvidenceTable& table : *tables) {
      if (table.engine != engine || table.device != "cpu" || table.arithmetic != "exact") continue;
      for (const Observation& row : table.rows)
        if (const auto c = parse_case(row.case_text);
            row.version == version && c && *c == usual_case(c->stack, "llama", engine))
          by_stack[print(c->stack)] = row.verdict;
    }
    return by_stack;
  }();
  return found;
}

std::vector<std::string> codes_in(std::string text) {
  text = std::regex_replace(text, std::regex("</?code>"), "`");
  text = std::regex_replace(text, std::regex("<wbr>"), "");
  static const std::regex kCode("`([^`]+)`");
  std::vector<std::string> codes;
  for (std::sregex_iterator at(text.begin(), text.end(), kCode), end; at != end; ++at) codes.push_back((*at)[1]);
  return codes;
}

// Cells of the rows below the heading of a table.
std::vector<std::vector<std::string>> rows_of(const std::string& text, const std::string& heading) {
  std::vector<std::vector<std::string>> rows;
  bool in_table = false;
  for (const std::string& line : split(text, '\n')) {
    if (line == heading) in_table = true;
    if (line.empty()) in_table = false;
    if (!in_table || line == heading || line.starts_with("| ---")) continue;
    std::vector<std::string> cells = split(line, '|');
    for (std::string& cell : cells) cell = trim(cell);
    rows.push_back(cells);
  }
  return rows;
}

// Of pairs.md and clipping.md.
const std::vector<std::vector<std::string>>& pair_rows() {
  static const auto rows = [] {
    std::vector<std::vector<std::string>> all;
    for (const char* name : {"pairs", "clipping"}) {
      const auto found = rows_of(page(name), "| rule | do not build | build | basis | what happens |");
      EXPECT_FALSE(found.empty()) << name;
      all.insert(all.end(), found.begin(), found.end());
    }
    return all;
  }();
  return rows;
}

// The words for a verdict on the page.
bool says(const std::string& words, Verdict verdict) {
  switch (verdict) {
    case Verdict::equal: return words.ends_with("no difference") || words.ends_with("slower");
    case Verdict::differs: return words.ends_with("silently wrong");
    case Verdict::ignored: return words.find("silently with") != words.npos;
    case Verdict::fails:
    case Verdict::hangs: return words.find("fails") != words.npos || words.find("hangs") != words.npos;
    default: return false;
  }
}

TEST(OrderingPage, BuildsNoStackThatARunRefuted) {
  std::size_t held = 0;
  for (const auto& row : pair_rows()) {
    for (const std::string& stack : codes_in(row.at(3))) {
      ++held;
      const auto run = verdicts().find(stack);
      if (run != verdicts().end()) EXPECT_FALSE(is_harm(run->second)) << row.at(1) << " builds " << stack;
      EXPECT_TRUE(run != verdicts().end() || row.at(3).ends_with("(not run)")) << row.at(1) << " builds " << stack;
    }
  }
  EXPECT_GT(held, 20u);
}

TEST(OrderingPage, CallsEachStackWhatItsRunShowed) {
  ASSERT_GT(pair_rows().size(), 20u);
  for (const auto& row : pair_rows()) {
    const std::string stack = codes_in(row.at(2)).at(0);
    ASSERT_TRUE(verdicts().contains(stack)) << stack;
    EXPECT_TRUE(says(row.at(5).substr(0, row.at(5).find_first_of(":")), verdicts().at(stack)) ||
                says(row.at(5), verdicts().at(stack)))
        << stack << ": " << row.at(5);
  }
}

TEST(OrderingPage, ARowIsOnePage) {
  for (const auto& row : pair_rows()) EXPECT_EQ(split(row.at(1), ',').size(), 1u) << row.at(1);
}

bool has_a_step_between(const std::string& cell) {
  const auto stack = parse_stack(codes_in(cell).at(0));
  return stack && std::ranges::any_of(stack->items, [](const Item& item) { return info_of(item).between; });
}

// The table of what goes wrong silently has the silent rows of the tables of all pairs, and the counts are theirs.
TEST(OrderingPage, SilentRowsAndCountsAreThoseOfAllPairs) {
  static const std::regex kCounts(R"([0-9]+ rules about an order or a clash had[^\n]*)");
  std::smatch counts;
  ASSERT_TRUE(std::regex_search(page("pairs"), counts, kCounts));
  std::set<std::vector<std::string>> listed, silent;  // bad, what happens, good
  for (const auto& row : rows_of(page(), "| you do | you get | do instead |")) {
    const std::string& what = row.at(2);
    listed.insert({row.at(1), what.substr(0, what.rfind(" (")), row.at(3)});
  }
  for (const auto& row : pair_rows())
    if (row.at(5).starts_with("silently") && !has_a_step_between(row.at(2))) silent.insert({row.at(2), row.at(5), row.at(3)});
  EXPECT_EQ(listed, silent);
  EXPECT_GT(listed.size(), 10u);
  const auto rows = [](const std::string& happens) {
    return std::ranges::count_if(pair_rows(), [&](const auto& row) { return row.at(5).starts_with(happens); });
  };
  EXPECT_THAT(
      counts.str(),
      HasSubstr(fmt::format("fails loudly {}, silently wrong {}, silently without effect or with a part of it {}, slower {}.",
                            rows("fails"), rows("silently wrong"), rows("silently with"), rows("slower"))));
}

// Each heading "### `tp` before `ac`: no" and the results of its opposite order are those of the runs.
TEST(OrderingPage, EveryPairSaysWhatItsRunsShowed) {
  static const std::regex kPair(
      R"(\n### ([^\n]+): ([a-z ]+)(\([^\n]+\))?\n- (?:Build ([^\n]*?)\. )?The other order, ((?:[^\n]|\n  )+)\.\n)");
  std::size_t pairs = 0, held = 0;
  std::string text = page();
  for (std::smatch match; std::regex_search(text, match, kPair); text = "\n" + match.suffix().str()) {
    ++pairs;
    if (match[3].matched) continue;  // of an engine that is not the page's
    for (const std::string& stack : codes_in(match[4].str())) {
      const auto run = verdicts().find(stack);
      EXPECT_TRUE(run == verdicts().end() ? match[4].str().ends_with("(not run)") : !is_harm(run->second)) << stack;
    }
    bool harmed = false, works = false;
    for (const std::string& part : split(std::regex_replace(match[5].str(), std::regex("\n *"), " "), ';')) {
      const auto end = part.find("`: ");
      std::string words(trim(part.substr(end + 3)));
      words = words.substr(0, words.find(" ("));
      for (const std::string& stack : codes_in(part.substr(0, end + 1))) {
        ++held;
        ASSERT_TRUE(verdicts().contains(stack)) << stack;
        EXPECT_TRUE(says(words, verdicts().at(stack))) << stack << ": " << words;
        (is_harm(verdicts().at(stack)) ? harmed : works) = true;
      }
    }
    EXPECT_EQ(trim(match[2].str()), !harmed ? "yes" : works ? "in part" : "no") << match[1];
  }
  EXPECT_GT(pairs, 7u);
  EXPECT_GT(held, 15u);
}

// "fsdp" as it is run in a pair: "fsdp=2".
std::string in_pair(std::string_view name) {
  if (name == "optimizer") return "optimizer=adamw";
  return std::string(name) + (find_transform(std::string(name))->axes.empty() ? "" : "=2");
}

TEST(OrderingPage, AnArrowSaysWhatTheOtherOrderShowed) {
  static const std::regex kArrow(R"((?:\n  |; )([a-z_& ]+) [-=]+>\|([^|]+)\| ([a-z_]+)(?=[;\n]))");
  std::size_t held = 0;
  std::string text = page();
  for (std::smatch match; std::regex_search(text, match, kArrow); text = match.suffix().str()) {
    for (const std::string& first : split(match[1].str(), '&')) {
      const auto run = verdicts().find(in_pair(match[3].str()) + "," + in_pair(trim(first)));
      if (run == verdicts().end()) continue;
      ++held;
      EXPECT_TRUE(says(match[2], run->second)) << run->first << ": " << match[2];
    }
  }
  EXPECT_GT(held, 4u);
}

// That the tests can fail: a refuted stack is a harm, and no verdict has the words of another.
TEST(OrderingPage, WordsTellVerdictsApart) {
  EXPECT_EQ(verdicts().at("ddp=2,fsdp=2"), Verdict::differs);
  EXPECT_TRUE(is_harm(verdicts().at("ddp=2,fsdp=2")));
  EXPECT_FALSE(says("fails loudly in apply", Verdict::differs));
  EXPECT_FALSE(says("silently wrong", Verdict::fails));
  EXPECT_FALSE(says("no difference", Verdict::ignored));
}

}  // namespace
}  // namespace ordercheck
