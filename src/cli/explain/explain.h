// Renders the answers of `ordercheck explain`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "matrix/knowledge.h"
#include "rules/rule.h"
#include "stack/stack.h"

namespace ordercheck::cli {

// A rule's page, with its grade for `target`; without a target, with its grades for all engines that it is about.
std::string explain_rule(const Rule& rule, const Knowledge& knowledge, const std::optional<Target>& target);

// For two transforms: the rules about both orders, and the results of committed runs of exactly these two.
std::string explain_two(const Item& a, const Item& b, const Knowledge& knowledge, const Target& target);

// Every glossary entry for a word, with the facts of the catalogue of transforms; "" if there is none.
std::string explain_terms(const std::string& word, const Knowledge& knowledge);

// The entries of messages/*.toml that fit an error message, then the rules that explain it, best match first, each with the
// matching line. `around`: other lines of the same log, "" if there are none. A rule matches if the message of an
// [[expect]] entry, of a committed run or of a citation contains the user's message, or most of its words in sequence.
struct MessageAnswer {
  std::string text;                     // "" if nothing matches
  std::size_t shared = 0;               // number of words that the best match shares, in sequence
  std::vector<std::string> rules = {};  // ids, best match first
};
MessageAnswer explain_message(const std::string& message, const Knowledge& knowledge, const std::string& around = "");

// Explains the errors in a log file ("-" for standard input). Explains the error that shares most words with a rule or run. Of
// equals it takes the first, which is the cause in a chain of exceptions. An error if the log cannot be read.
struct LogAnswer {
  std::string text;
  bool is_known = false;
  std::vector<std::string> rules = {};  // ids, best match first
};
Result<LogAnswer> explain_errors(const std::string& path, const Knowledge& knowledge);

// All terms of the glossary by group.
std::string list_terms();

}  // namespace ordercheck::cli
