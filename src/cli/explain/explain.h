// What `ordercheck explain` can be asked about, each as the text of its answer.
#pragma once

#include <optional>
#include <string>

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

// Pages whose pins, committed runs or citations hold this message, or most of its words in a row, best first, with the line
// that holds it; "" when there is none.
std::string explain_message(const std::string& message, const Knowledge& knowledge);

// All terms by group.
std::string list_terms();

}  // namespace ordercheck::cli
