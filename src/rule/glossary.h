// The words of rules, runs and stacks, explained. The texts are glossary/*.toml, built into the program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ordercheck {

// What somebody changes in a program to have what a term names: where a cure asks for it.
struct ProgramEdit {
  std::string of;        // the transform, where the term is an option or a scope
  std::string value;     // of the option; "absent": it is taken away; "" for any
  std::string sentence;  // "pass use_reentrant=False to checkpoint"
};

// What such programs are written with, and what the glossary and reports in JSON call the sentence.
inline constexpr const char* kEditsAreIn = "PyTorch";
inline constexpr const char* kEditsKey = "in_pytorch";

struct Term {
  std::string name;               // as it is typed: "graph break"
  std::vector<std::string> also;  // other spellings that find it
  std::string meaning;            // one or two sentences
  std::vector<std::string> see;   // names of other terms
  std::vector<ProgramEdit> edits = {};
};

struct TermGroup {
  std::string name;   // of its file: "verdicts"
  std::string title;  // "Verdicts: what a run showed"
  std::vector<Term> terms;
};

// One file of the glossary. Refused, as "<path>:<line>: ...": no TOML, an unknown field, one that is missing or empty, a
// name that stands twice.
Result<TermGroup> parse_glossary(std::string_view text, std::string_view path);

// The glossary of this program, in the order of its groups. Read once; any thread.
const std::vector<TermGroup>& glossary();

struct FoundTerm {
  const TermGroup* group = nullptr;
  const Term* term = nullptr;
};

// Every term of that name or spelling, whatever the case of its letters: `fails` is a verdict and a harm.
std::vector<FoundTerm> find_terms(const std::vector<TermGroup>& groups, std::string_view word);

// Every name and spelling, each once: what a misspelt word may have meant.
std::vector<std::string> known_words(const std::vector<TermGroup>& groups);

}  // namespace ordercheck
