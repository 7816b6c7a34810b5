// What a run showed is printed from evidence under each generated page. Prose that says it by hand grows old unseen:
// "no run supports this" stood above a table that said reproduced. So prose gives reasons and sources,
// and what cannot be in the evidence is a paragraph that begins with the script that shows it.
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "form/source_tree.h"

namespace ordercheck::form {
namespace {

struct Phrase {
  Phrase(const char* written, bool rules_only = false)
      : pattern(written, std::regex::icase | std::regex::optimize), in_rules_only(rules_only) {}
  std::regex pattern;
  bool in_rules_only;  // elsewhere it is how the words are explained, in a claim what somebody else says
};

const std::vector<Phrase> kPhrases{
    {"\\bno committed\\b"},
    {"\\bcommitted (pytorch |native )?runs?\\b"},
    {"\\b(not|never|nobody|nor) (been )?tried\\b"},
    {"\\btried by hand\\b|\\bby hand on\\b|\\btried on\\b"},
    {"\\b(later|newer|recent|older) (versions?|releases?)\\b"},
    {"\\bstands? behind\\b"},
    {"\\bseen with\\b"},
    {"\\bruns? (that )?(shows?|showed|contradicts?|contradicted|bears?|fails?|failed)\\b", true},
    {"\\b(as|until|unless) (the |a )?runs?\\b", true},
    {"\\bruns? (on|of|in) [0-9]|\\bruns? has to tell\\b|\\brun in which\\b", true},
    {"\\b(was|were|is|are) not (measured|timed|bisected|found out)\\b", true},
    {"\\b[0-9]+ gloo ranks?\\b|\\b(one|two|four|eight) gloo ranks?\\b|\\bover gloo\\b", true},
    {"\\b2\\.[0-9]+\\.[0-9]+\\b", true},  // a build that somebody ran; a source speaks of releases: 2.12
};

struct Paragraph {
  std::string text;
  std::vector<std::pair<std::size_t, std::size_t>> lines;  // where each line begins in the text, and its number
};

std::size_t line_at(const Paragraph& paragraph, std::size_t place) {
  std::size_t number = 0;
  for (const auto& [begin, line] : paragraph.lines)
    if (begin <= place) number = line;
  return number;
}

// Sentences run over the ends of lines. In a page's head each claim is by itself, and nothing else there is prose.
std::vector<Paragraph> paragraphs_of(const SourceFile& file) {
  std::vector<Paragraph> found;
  bool in_head = false, ended = true;
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    const std::string& line = file.lines[i];
    const bool frame = line == "+++";
    if (frame) in_head = !in_head;
    const bool prose = !frame && !line.empty() && (!in_head || line.starts_with("claim = ") || line.starts_with("retired = "));
    if (prose && (ended || in_head)) found.push_back({});
    ended = !prose || line.starts_with("#");  // a heading is a paragraph of its own
    if (!prose) continue;
    Paragraph& last = found.back();
    if (!last.text.empty()) last.text += ' ';
    last.lines.emplace_back(last.text.size(), i + 1);
    last.text += line;
  }
  return found;
}

// "Observed by `matrix/observations/name.py`": the script, or nothing.
std::string script_of(const Paragraph& paragraph) {
  static const std::regex marked("^Observed by `(matrix/observations/[a-z0-9_]+\\.py)`");
  std::smatch match;
  return std::regex_search(paragraph.text, match, marked) ? match[1].str() : "";
}

std::vector<SourceFile> prose() {
  std::vector<SourceFile> files;
  for (const char* folder : {"rules", "glossary", "report_templates"})
    for (SourceFile& file : files_under(folder)) files.push_back(std::move(file));
  return files;
}

std::vector<std::string> results_in(const SourceFile& file) {
  std::vector<std::string> hits;
  const bool rule = file.path.starts_with("rules/");
  for (const Paragraph& paragraph : paragraphs_of(file)) {
    if (rule && !script_of(paragraph).empty()) continue;
    for (const Phrase& phrase : kPhrases) {
      if (phrase.in_rules_only && (!rule || paragraph.text.starts_with("claim = "))) continue;
      for (std::sregex_iterator at(paragraph.text.begin(), paragraph.text.end(), phrase.pattern), end; at != end; ++at)
        hits.push_back(file.path + ":" + std::to_string(line_at(paragraph, static_cast<std::size_t>(at->position()))) + ": \"" +
                       at->str() + "\"");
    }
  }
  return hits;
}

TEST(HandWrittenResults, AreLeftToTheEvidence) {
  for (const SourceFile& file : prose())
    for (const std::string& hit : results_in(file))
      ADD_FAILURE() << hit << " says by hand what runs say. Remove it: the generated page prints the evidence. What no run "
                    << "can show is a paragraph that begins \"Observed by `matrix/observations/NAME.py`\" (rules/TEMPLATE.md)";
}

TEST(HandWrittenResults, AreObservedByAScriptThatIsThere) {
  std::set<std::string> named;
  for (const SourceFile& file : prose())
    for (const Paragraph& paragraph : paragraphs_of(file))
      if (const std::string script = script_of(paragraph); !script.empty()) {
        named.insert(script);
        EXPECT_TRUE(std::filesystem::exists(checkout() / script)) << file.path << " names " << script << ", which is not there";
      }
  for (const SourceFile& script : files_under("matrix/observations"))
    if (script.path.ends_with(".py")) {
      EXPECT_TRUE(named.contains(script.path)) << script.path << " is named by no page";
    }
}

TEST(HandWrittenResults, AreFoundAcrossLinesAndLetThroughWithAScript) {
  const SourceFile page{"rules/order/x.md",
                        {"+++", "claim = \"Not tried.\"", "+++", "", "One. No committed", "run here.", "",
                         "Observed by `matrix/observations/x.py` in 2.12.1: not tried on GPUs."}};
  EXPECT_EQ(results_in(page),
            (std::vector<std::string>{"rules/order/x.md:2: \"Not tried\"", "rules/order/x.md:5: \"No committed\"",
                                      "rules/order/x.md:5: \"committed run\""}));
}

}  // namespace
}  // namespace ordercheck::form
