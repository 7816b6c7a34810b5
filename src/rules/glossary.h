// Loads the definitions of ordercheck's words, which `ordercheck explain` prints. The texts are glossary/*.toml, embedded in
// the program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ordercheck {

// The change to a user's PyTorch program that adds or removes a transform, option or scope. Suggested repairs print it.
struct ProgramEdit {
  std::string of;        // the transform that the term belongs to, if the term is an option or a scope
  std::string value;     // the option's new value; "absent" if it is removed; "" for any
  std::string sentence;  // "pass use_reentrant=False to checkpoint"
};

// The library that the sentences are about, and their key in glossary files and JSON reports.
inline constexpr const char* kEditsAreIn = "PyTorch";
inline constexpr const char* kEditsKey = "in_pytorch";

struct Term {
  std::string name;               // as typed: "graph break"
  std::vector<std::string> also;  // other spellings
  std::string meaning;            // one or two sentences
  std::vector<std::string> see;   // names of other terms
  std::vector<ProgramEdit> edits = {};
};

struct TermGroup {
  std::string name;   // the file's name: "verdicts"
  std::string title;  // "Verdicts: what a run showed"
  std::vector<Term> terms;
};

// Parses one file of the glossary. Errors ("<path>:<line>: ...") for invalid TOML, unknown, missing or empty fields, and
// duplicate names.
Result<TermGroup> parse_glossary(std::string_view text, std::string_view path);

// The embedded glossary, in the order of its groups. Parsed once; thread safe.
const std::vector<TermGroup>& glossary();

struct FoundTerm {
  const TermGroup* group = nullptr;
  const Term* term = nullptr;
};

// Every term with that name or spelling, ignoring case. Several groups may define a word: `fails` is a verdict and a harm.
std::vector<FoundTerm> find_terms(const std::vector<TermGroup>& groups, std::string_view word);

// All names and spellings without duplicates, as candidates for a misspelt word.
std::vector<std::string> known_words(const std::vector<TermGroup>& groups);

}  // namespace ordercheck
