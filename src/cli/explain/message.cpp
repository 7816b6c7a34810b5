#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <set>
#include <sstream>
#include <vector>

#include <fmt/format.h>

#include "base/displayable.h"
#include "base/text.h"
#include "base/wording.h"
#include "cli/explain/explain.h"
#include "cli/shared/error_log.h"
#include "record/item_checks.h"
#include "rules/known_messages.h"
#include "rules/load.h"
#include "rules/match.h"
#include "rules/prediction.h"
#include "stack/case.h"
#include "stack/notation.h"

namespace ordercheck::cli {
namespace {

constexpr std::size_t kMostPages = 8;
constexpr std::size_t kLongestLine = 160;
constexpr std::size_t kInARow = 4;      // unrelated messages rarely share so many words in sequence
constexpr std::size_t kOfTheCause = 2;  // words among them that must be specific to the cause

using Words = std::vector<std::string>;

// A path names no cause, and PyTorch's own paths share words with many messages.
bool is_path(std::string_view word) { return word.find('/') != word.npos && word.find("://") == word.npos; }

std::string without_paths(const std::string& text) {
  std::string kept;
  for (const std::string& word : split(text, ' '))
    if (!is_path(word)) kept += word + " ";
  return kept;
}

// Lower case, with numbers as "#": shapes, ranks and addresses vary.
Words words_of(const std::string& written) {
  const std::string text = without_paths(written);
  Words words;
  std::string word;
  const auto end_word = [&] {
    if (word.empty()) return;
    words.push_back(std::isdigit(static_cast<unsigned char>(word.front())) != 0 ? "#" : word);
    word.clear();
  };
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '_')
      word += static_cast<char>(std::tolower(byte));
    else
      end_word();
  }
  end_word();
  return words;
}

// Words of generic phrases of Python and PyTorch: "... object has no attribute ...", "... is not supported yet", "The size of
// tensor a (#) must match the size of tensor b (#)".
bool is_of_any_cause(const std::string& word) {
  static const std::set<std::string> all{
      "#",         "a",      "an",       "and",         "are",     "argument",  "arguments", "as",     "at",
      "attribute", "b",      "be",       "because",     "but",     "by",        "can",       "cannot", "dimension",
      "do",        "does",   "expected", "for",         "found",   "from",      "got",       "has",    "have",
      "in",        "index",  "is",       "it",          "match",   "must",      "name",      "no",     "non",
      "not",       "object", "of",       "on",          "only",    "or",        "out",       "range",  "shape",
      "should",    "size",   "sizes",    "singleton",   "support", "supported", "supports",  "tensor", "tensors",
      "than",      "that",   "the",      "this",        "to",      "type",      "value",     "values", "was",
      "were",      "which",  "with",     "implemented", "yet",     "your",      "same",      "dtype",  "please"};
  return word.ends_with("error") || all.contains(word);
}

// Length of the longest common sequence of words with at least `least` words, `of_the_cause` of them specific; 0 if there is
// none.
std::size_t shared_in_a_row(const Words& one, const Words& other, std::size_t least, std::size_t of_the_cause) {
  struct Run {
    std::size_t words = 0, telling = 0;
  };
  std::size_t longest = 0;
  std::vector<Run> last(other.size() + 1);
  for (const std::string& word : one) {
    const std::size_t telling = is_of_any_cause(word) ? 0 : 1;
    std::vector<Run> row(other.size() + 1);
    for (std::size_t j = 0; j < other.size(); ++j) {
      if (other[j] != word) continue;
      row[j + 1] = {last[j].words + 1, last[j].telling + telling};
      if (row[j + 1].words >= least && row[j + 1].telling >= of_the_cause) longest = std::max(longest, row[j + 1].words);
    }
    last = std::move(row);
  }
  return longest;
}

// How many words of the user's message `text` contains in sequence; 0 if too few. A short message must match completely.
std::size_t hold(const std::string& text, const Words& message) {
  const auto telling = static_cast<std::size_t>(std::ranges::count_if(message, std::not_fn(is_of_any_cause)));
  const std::size_t needed = std::clamp<std::size_t>(telling, 1, kOfTheCause);
  return shared_in_a_row(message, words_of(text), std::min(message.size(), kInARow), needed);
}

constexpr int kOfAPin = 4;

struct Found {
  std::size_t shared = 0;
  int strength = 0;  // breaks ties: a pin before a run, a run before a citation
  std::string line;
};

void keep_better(Found& best, std::size_t shared, int strength, const std::string& line) {
  if (shared > best.shared || (shared == best.shared && shared > 0 && strength > best.strength))
    best = {shared, strength, line};
}

std::string shortened(const std::string& text) {
  return text.size() <= kLongestLine ? text : text.substr(0, kLongestLine) + " ...";
}

std::string line_of(const Observation& run) {
  return fmt::format("run     {} {}: {} {}: {}", run.engine, run.version, run.case_text, verdict_in_words(run),
                     shortened(run.message));
}

bool fires_on(const Rule& rule, const Observation& run) {
  const auto c = parse_case(run.case_text);
  return c && !firings(rule, c->stack).empty();
}

struct PageFound {
  const Rule* rule = nullptr;  // nullptr: runs without a rule
  Found found;
};

// A run that matches the message. In ties, a page's own witness ranks before a larger stack.
struct RunFound {
  const Observation* run = nullptr;
  std::size_t shared = 0;
  bool on_a_page = false;
};

Found best_of(const Rule& rule, const Words& message, std::vector<RunFound>& runs) {
  Found best;
  for (const Expectation& pin : rule.expectations)
    keep_better(
        best, pin.message.empty() ? 0 : hold(pin.message, message), kOfAPin,
        fmt::format("pinned  {}", expectation_in_words(pin, [](const std::string& text) { return "\"" + text + "\""; })));
  for (RunFound& found : runs) {
    if (!fires_on(rule, *found.run)) continue;
    found.on_a_page = true;
    const auto c = parse_case(found.run->case_text);
    keep_better(best, found.shared, c && c->stack == rule.witness.bad ? 3 : 2, line_of(*found.run));
  }
  for (const Citation& citation : rule.citations)
    keep_better(best, hold(citation.claim, message), 1,
                fmt::format("cited   {} {}", cited_briefly(citation), shortened(citation.claim)));
  return best;
}

}  // namespace

namespace {

constexpr std::size_t kMostKnown = 3;

// Renders the entries that fit a message: meaning, cure, rules that are not among `pages`, and the thread.
std::string render_known(const std::vector<const KnownMessage*>& known, const Knowledge& knowledge,
                         const std::vector<PageFound>& pages) {
  std::string text;
  for (std::size_t i = 0; i < std::min(known.size(), kMostKnown); ++i) {
    const KnownMessage& one = *known[i];
    text += fmt::format("\"{}\"\n  means   {}\n  cure    {}\n", one.fragment, one.means, one.cure);
    for (const std::string& id : one.rules)
      if (const Rule* rule = find_rule(knowledge.rules, id);
          rule != nullptr && std::ranges::find(pages, rule, &PageFound::rule) == pages.end())
        text += fmt::format("  rule    {}  {}\n", id, rule->title);
    text += fmt::format("  thread  {}{}\n", one.url, one.date.empty() ? "" : ", " + one.date);
  }
  return text;
}

// Names a few of the stacks whose runs printed a known message and that no page speaks for.
std::string render_seen(const std::vector<RunFound>& runs, const std::vector<PageFound>& pages) {
  constexpr std::size_t kMostSeen = 3;
  std::vector<std::string> stacks;
  for (const RunFound& found : runs) {
    const auto c = parse_case(found.run->case_text);
    const bool on_a_page =
        c && std::ranges::any_of(pages, [&](const PageFound& page) { return !firings(*page.rule, c->stack).empty(); });
    if (c && !on_a_page && !contains(stacks, print(c->stack))) stacks.push_back(print(c->stack));
  }
  std::ranges::stable_sort(stacks, {}, &std::string::size);
  if (stacks.size() > kMostSeen) stacks.resize(kMostSeen);
  return stacks.empty() ? "" : fmt::format("  seen    in runs of {}\n", join(stacks, "  "));
}

// Whether a traceback passes through no compiler, so that a page about one is an unlikely cause.
bool shows_no_graph(std::string_view log) {
  return log.find("File \"") != log.npos &&
         std::ranges::none_of(std::array<std::string_view, 3>{"_dynamo", "compile", "_inductor"},
                              [&](std::string_view word) { return log.find(word) != log.npos; });
}

std::vector<std::string> rules_of(const std::vector<const KnownMessage*>& known) {
  std::vector<std::string> ids;
  for (const KnownMessage* one : known)
    for (const std::string& id : one->rules)
      if (!contains(ids, id)) ids.push_back(id);
  return ids;
}

std::size_t words_in(const KnownMessage& one) { return words_of(one.fragment).size(); }

}  // namespace

MessageAnswer explain_message(const std::string& message, const Knowledge& knowledge, const std::string& around) {
  const Words words = words_of(message);
  if (words.empty()) return {};
  std::vector<const KnownMessage*> known = messages_in(message, known_messages());
  // The conditions of an entry may be met, or excluded, by other lines of the log.
  if (!known.empty() && !around.empty()) {
    const auto fits = messages_in(around, known_messages());
    std::vector<const KnownMessage*> better;
    for (const KnownMessage* one : fits)
      if (std::ranges::any_of(known, [&](const KnownMessage* other) { return other->fragment == one->fragment; }))
        better.push_back(one);
    known = std::move(better);
  }
  std::vector<RunFound> runs;
  for (const Observation& seen : knowledge.observations)
    if (!seen.message.empty() && (seen.verdict == Verdict::fails || seen.verdict == Verdict::hangs))
      if (const std::size_t shared = hold(seen.message, words); shared > 0) runs.push_back({.run = &seen, .shared = shared});
  std::vector<PageFound> pages;
  for (const Rule& rule : knowledge.rules)
    if (Found best = best_of(rule, words, runs); best.shared > 0) pages.push_back({&rule, std::move(best)});
  std::ranges::stable_sort(pages, [](const PageFound& one, const PageFound& other) {
    return std::pair(one.found.shared, one.found.strength) > std::pair(other.found.shared, other.found.strength);
  });
  if (shows_no_graph(around))
    std::ranges::stable_partition(pages,
                                  [](const PageFound& page) { return !owes(page.rule->witness.bad, OwedEffect::captured); });
  std::size_t shared = 0;
  std::vector<std::string> ids = rules_of(known);
  if (!known.empty()) {
    // A page that shares a part of a message that is known is about another one, and so is one that shares all of it if an
    // entry knows the kind.
    shared = words_in(*known.front());
    const auto is_about_it = [&](std::size_t in_a_row) {
      return std::ranges::any_of(known,
                                 [&](const KnownMessage* one) { return one->also.empty() && in_a_row >= words_in(*one); });
    };
    // Many stacks end in one message, and the entry says why this one may have. A page with a pin is about the message.
    std::erase_if(pages,
                  [&](const PageFound& page) { return page.found.strength < kOfAPin || !is_about_it(page.found.shared); });
    std::erase_if(runs, [&](const RunFound& run) { return !is_about_it(run.shared); });
    for (RunFound& run : runs) run.on_a_page = true;
  }
  std::string text = render_known(known, knowledge, pages);
  if (!known.empty()) text += render_seen(runs, pages);
  for (const RunFound& found : runs) shared = std::max(shared, found.shared);
  if (!pages.empty()) shared = std::max(shared, pages.front().found.shared);
  for (std::size_t i = 0; i < std::min(pages.size(), kMostPages); ++i)
    text += fmt::format("{}  {}\n  {}\n", pages[i].rule->id, pages[i].rule->title, pages[i].found.line);
  if (pages.size() > kMostPages) text += fmt::format("and {} more.\n", counted(pages.size() - kMostPages, "rule"));
  for (const RunFound& found : runs)
    if (!found.on_a_page) text += fmt::format("No rule speaks about this run:\n  {}\n", line_of(*found.run));
  if (!pages.empty()) text += fmt::format("ordercheck explain {} prints the rule.\n", pages.front().rule->id);
  for (const PageFound& page : pages)
    if (std::ranges::find(ids, page.rule->id) == ids.end()) ids.push_back(page.rule->id);
  return {.text = std::move(text), .shared = shared, .rules = std::move(ids)};
}

namespace {

// At most so many errors of a log are looked up, since each lookup searches all pages and runs.
constexpr std::size_t kMostLookedUp = 100;
constexpr std::size_t kLongestMessage = 300;
constexpr std::size_t kLongestLog = 200'000;  // the end of a longer one is searched for what is beside a message

std::string where(const std::string& path, const LoggedError& error) {
  return fmt::format("{}:{}: {}\n{}", path == "-" ? "standard input" : path, error.line,
                     displayable(error.message.substr(0, kLongestMessage)),
                     error.frame.empty() ? "" : fmt::format("  at {}\n", displayable(error.frame)));
}

}  // namespace

Result<LogAnswer> explain_errors(const std::string& path, const Knowledge& knowledge) {
  std::ifstream file;
  if (path != "-") {
    file.open(path);
    if (!file || file.peek() == std::ifstream::traits_type::eof())
      return Error{fmt::format("{}: {}", path, file.is_open() && file.eof() ? "it is empty" : std::strerror(errno))};
  }
  std::ostringstream whole;
  whole << (path == "-" ? std::cin : file).rdbuf();
  const std::string log = whole.str();
  std::istringstream lines(log);
  const std::vector<LoggedError> errors = errors_in(lines);
  if (errors.empty()) return Error{fmt::format("{}: no line of it says anything", path)};
  const std::string around = log.size() <= kLongestLog ? log : log.substr(log.size() - kLongestLog);
  const LoggedError* best = nullptr;
  MessageAnswer answer;
  for (std::size_t i = 0; i < std::min(errors.size(), kMostLookedUp); ++i)
    if (MessageAnswer one = explain_message(errors[i].message, knowledge, around); one.shared > answer.shared) {
      best = &errors[i];
      answer = std::move(one);
    }
  if (best != nullptr) return LogAnswer{.text = where(path, *best) + answer.text, .is_known = true, .rules = answer.rules};
  // Some messages are in no line that looks like an error: below it, or in the source that a traceback quotes.
  if (const auto known = messages_in(around, known_messages()); !known.empty())
    return LogAnswer{
        .text = where(path, errors.front()) + render_known(known, knowledge, {}), .is_known = true, .rules = rules_of(known)};
  return LogAnswer{
      .text = fmt::format("{}Nothing is known of it: no rule, committed run or citation holds this message{}.\n",
                          where(path, errors.front()),
                          errors.size() == 1 ? "" : fmt::format(", nor one of the {} after it", errors.size() - 1)),
      .is_known = false};
}

}  // namespace ordercheck::cli
