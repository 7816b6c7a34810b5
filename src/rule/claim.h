// What a rule flags, in words.
#pragma once

#include <functional>
#include <string>

#include "rule/grade.h"
#include "rule/rule.h"

namespace ordercheck {

// How patterns and conditions stand out from the words around them: as they are on a terminal, as code spans on a page.
using Marking = std::function<std::string(const std::string&)>;
std::string unmarked(const std::string& text);

// "fsdp|hsdp applied before tp"; of a commutes page "nothing: ac and fsdp may change places". Without the condition.
std::string claim_of(const Rule& rule, const Marking& mark = unmarked);

// "pytorch 2.11.0 shows fails in apply, \"Cannot distribute\"": what a page pins for one engine and version. `mark` is for
// what the engine says.
std::string expectation_in_words(const Expectation& expected, const Marking& mark);

// "ORD-004 incidental (cited): FSDP shards what TP left [torchtitan#1554, 2025-08-13]": a page in one line.
std::string because(const Rule& rule, const Grade& grade);

// "[torchtitan#1554, 2025-08-13]": a citation as a line of text names it.
std::string cited_briefly(const Citation& citation);

}  // namespace ordercheck
