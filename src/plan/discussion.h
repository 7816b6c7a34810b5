// What people said about orders in one public discussion, point by point: one file a discussion in matrix/discussions/. Pages hold
// each point against the rules and the runs.
//
//   title = "torchtitan#1554"
//   url = "https://github.com/..."
//   [[point]]
//   id = "tp-ac"
//   title = "May checkpointing go before TP?"   # its heading on the page
//   by = "who said it"
//   date = "2025-08-13"             # of the statement
//   says = "one sentence in our words"
//   first = "tp"                    # the two transforms that it orders; "" where it names none
//   then = "ac"
//   basis_said = "sounds not fundamental"   # how fundamental they called it; "" where they did not
//   rules = ["ORD-003"]             # pages about it
//   stacks = ["tp=2,ac", "ac,tp=2"] # whose runs stand side by side
//   answer = "what follows from rules and runs"
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "rule/rule.h"
#include "stack/stack.h"

namespace ordercheck {

struct DiscussionPoint {
  std::string id;
  std::string title;
  std::string by;
  std::string date;
  std::string says;
  std::string first;  // a transform's name, or ""
  std::string then;
  std::string basis_said;
  std::vector<std::string> rules;  // ids of rules that exist
  std::vector<Stack> stacks;
  std::string answer;
  std::string why;  // the reason for the order in one line, of a point that calls it something; "" for none
  friend bool operator==(const DiscussionPoint&, const DiscussionPoint&) = default;
};

struct Discussion {
  std::string name;  // the file's name without ".toml"
  std::string title;
  std::string url;
  std::vector<DiscussionPoint> points;  // as written; ids stand once
  friend bool operator==(const Discussion&, const Discussion&) = default;
};

// Errors are "<path>:<line>: ..."; a rule that is not among `rules`, a stack that does not parse and an unknown transform
// are errors too.
Result<Discussion> parse_discussion(std::string_view text, const std::string& path, const std::vector<Rule>& rules);

// Every file of `folder`, sorted by name; none when the folder does not exist.
Result<std::vector<Discussion>> load_discussions(const std::filesystem::path& folder, const std::vector<Rule>& rules);

}  // namespace ordercheck
