#include "report/ci/job_summary.h"

#include <functional>

#include <fmt/format.h>

#include "base/displayable.h"
#include "base/text.h"
#include "base/wording.h"
#include "report/pages/markdown.h"
#include "report/text/summary.h"

namespace ordercheck {
namespace {

// A message may be a page long; its beginning is enough.
constexpr std::size_t kLongestText = 600;
// Space for the line about omitted items and the end of its block.
constexpr std::size_t kRoomToSaySo = 200;

std::string one_line_of(std::string_view text) {
  std::string line = shortened(displayable(text), kLongestText);
  for (char& c : line)
    if (c == '\n' || c == '\t') c = ' ';
  return line;
}

// Bars need no escape: these code spans are not in tables.
std::string code_of(std::string_view text) { return code(one_line_of(text)); }

struct Listing {
  const ReportedBuild* build = nullptr;
  const ReportedCase* one = nullptr;
};

std::vector<Listing> those(const std::vector<ReportedBuild>& builds, const std::function<bool(const Outcome&)>& wanted) {
  std::vector<Listing> found;
  for (const ReportedBuild& build : builds)
    for (const ReportedCase& one : build.cases)
      if (wanted(one.outcome)) found.push_back({&build, &one});
  return found;
}

std::string contradiction_item(const Listing& of) {
  const Outcome& outcome = of.one->outcome;
  std::string text = fmt::format("- {} on {}: {}\n", code_of(print(outcome.subject)),
                                 plain_in_markdown(print(of.build->target)), plain_in_markdown(outcome.disagreement));
  text += fmt::format("  - seen: {}\n", plain_in_markdown(of.one->reason));
  if (const std::string place = place_of(outcome.seen); !place.empty())
    text += fmt::format("  - where: {}\n", plain_in_markdown(place));
  if (!outcome.explanation.empty()) text += fmt::format("  - explained: {}\n", plain_in_markdown(outcome.explanation));
  return text;
}

std::string plain_item(const Listing& of) {
  const Outcome& outcome = of.one->outcome;
  return fmt::format("- {} on {}: {}; {}\n", code_of(print(outcome.subject)), plain_in_markdown(print(of.build->target)),
                     name_of(outcome.seen.verdict), plain_in_markdown(of.one->reason));
}

std::string confirmed_item(const Listing& of) {
  const Outcome& outcome = of.one->outcome;
  return fmt::format("- {} on {}: {}{}\n", code_of(print(outcome.subject)), plain_in_markdown(print(of.build->target)),
                     name_of(outcome.seen.verdict),
                     outcome.prediction.rule.empty() ? "" : ", by " + plain_in_markdown(outcome.prediction.rule));
}

std::vector<Outcome> outcomes_of(const ReportedBuild& build) {
  std::vector<Outcome> outcomes;
  for (const ReportedCase& one : build.cases) outcomes.push_back(one.outcome);
  return outcomes;
}

std::string counts_of(const std::vector<ReportedBuild>& builds) {
  std::string text =
      "| build | cases | confirmed | not explained | explained | open | undecided | controls |\n"
      "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n";
  for (const ReportedBuild& build : builds) {
    const Tally tally = tally_of(outcomes_of(build), build.controls);
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", plain_in_markdown(name_of(build)), build.cases.size(),
                        tally.confirmed, tally.contradictions, tally.explained, tally.open, tally.undecided,
                        build.controls.empty()       ? "none"
                        : tally.controls_failed == 0 ? "held"
                                                     : fmt::format("**{} failed**", tally.controls_failed));
  }
  return text;
}

// Appends items to a text while it stays below a maximum size, then states how many items were omitted.
class Bounded {
 public:
  explicit Bounded(std::size_t at_most) : at_most_(at_most) {}

  void add(const std::string& text) { text_ += text; }

  void add_items(const std::vector<Listing>& items, const std::function<std::string(const Listing&)>& item,
                 std::size_t keep_free) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      const std::string line = item(items[i]);
      if (text_.size() + line.size() + keep_free + kRoomToSaySo >= at_most_) {
        text_ += fmt::format("- and {} more, which did not fit here: `--format json` and `--report junit=FILE` have all\n",
                             items.size() - i);
        return;
      }
      text_ += line;
    }
  }

  void add_collapsed(const std::string& title, const std::vector<Listing>& items,
                     const std::function<std::string(const Listing&)>& item) {
    if (items.empty()) return;
    if (text_.size() + 3 * kRoomToSaySo >= at_most_) {
      left_out_.push_back(fmt::format("{} ({})", title, items.size()));
      return;
    }
    text_ += fmt::format("\n<details><summary>{} ({})</summary>\n\n", title, items.size());
    add_items(items, item, 2 * kRoomToSaySo);
    text_ += "\n</details>\n";
  }

  std::string text() const {
    return left_out_.empty() ? text_
                             : text_ + fmt::format("\nLeft out to stay below the size limit: {}.\n", join(left_out_, ", "));
  }

 private:
  std::size_t at_most_;
  std::string text_;
  std::vector<std::string> left_out_;
};

std::function<bool(const Outcome&)> agreeing(Agreement agreement) {
  return [agreement](const Outcome& outcome) { return outcome.agreement == agreement; };
}

}  // namespace

std::string plain_in_markdown(std::string_view text) {
  constexpr std::string_view kMarkup = "\\`*_{}[]()#+!|~$@";
  std::string made;
  for (const char c : one_line_of(text)) {
    if (c == '<')
      made += "&lt;";
    else if (c == '>')
      made += "&gt;";
    else if (c == '&')
      made += "&amp;";
    else if (kMarkup.find(c) != std::string_view::npos)
      made += {'\\', c};
    else
      made += c;
  }
  return made;
}

std::string render_job_summary(const std::vector<ReportedBuild>& builds, std::size_t at_most) {
  const auto unexplained = those(builds, is_unexplained);
  const std::string counts = counts_of(builds);
  Bounded summary(at_most);
  summary.add(unexplained.empty() ? "## ordercheck: no contradiction that a rule does not explain\n\n"
                                  : fmt::format("## ordercheck: {} that no rule explains\n\n",
                                                counted(static_cast<std::int64_t>(unexplained.size()), "contradiction")));
  summary.add_items(unexplained, contradiction_item, counts.size() + 3 * kRoomToSaySo);
  summary.add(unexplained.empty() ? counts : "\n" + counts);
  for (const ReportedBuild& build : builds)
    for (const Control& control : build.controls)
      if (control.judged && !control.held)
        summary.add(fmt::format("\nThe control {} of {} did not show that the comparison can fail: {}\n",
                                plain_in_markdown(control.name), plain_in_markdown(name_of(build)),
                                plain_in_markdown(control.evidence)));
  summary.add_collapsed("Undecided: nothing was shown", those(builds, agreeing(Agreement::undecided)), plain_item);
  summary.add_collapsed(
      "Contradictions that a rule explains",
      those(builds,
            [](const Outcome& outcome) { return outcome.agreement == Agreement::contradiction && !is_unexplained(outcome); }),
      contradiction_item);
  summary.add_collapsed("Open: no rule speaks about this engine and version", those(builds, agreeing(Agreement::open)),
                        plain_item);
  summary.add_collapsed("As predicted", those(builds, agreeing(Agreement::confirmed)), confirmed_item);
  return summary.text();
}

}  // namespace ordercheck
