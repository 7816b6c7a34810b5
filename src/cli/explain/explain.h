// What `ordercheck explain` can be asked about, each as the text of its answer.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/result.h"
#include "knowledge/knowledge.h"
#include "rule/rule.h"
#include "stack/stack.h"

namespace ordercheck::cli {

// A rule's page, with its grade for `target`; without one for every engine that it speaks about.
std::string explain_rule(const Rule& rule, const Knowledge& knowledge, const std::optional<Target>& target);

// Two transforms: what pages say of both orders, and what committed runs of exactly the two showed.
std::string explain_two(const Item& a, const Item& b, const Knowledge& knowledge, const Target& target);

// Every entry of the glossary for a word, with what the catalogue of transforms knows about it; "" when there is none.
std::string explain_terms(const std::string& word, const Knowledge& knowledge);

// Pages whose pins, committed runs or citations hold a message, or most of its words in a row, best first, with the line that holds
// it.
struct MessageAnswer {
  std::string text;        // "" when there is none
  std::size_t shared = 0;  // the longest run of words that the message shares with one of them
};
MessageAnswer explain_message(const std::string& message, const Knowledge& knowledge);

// What is known of the errors of a log, "-" for standard input: of those that some page or run shares most words with, the first, which
// is the cause where exceptions follow from each other. An error where the log cannot be read.
struct LogAnswer {
  std::string text;
  bool is_known = false;
};
Result<LogAnswer> explain_errors(const std::string& path, const Knowledge& knowledge);

// All terms by group.
std::string list_terms();

}  // namespace ordercheck::cli
