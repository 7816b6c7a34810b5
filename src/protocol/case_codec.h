// A case as JSON (the definition `case` of schema/run.json): its line of text, and the same spelled out with what the
// catalogue says of each transform and axis, so that no engine parses the notation or keeps a table of its own. May be used
// from any thread.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "stack/case.h"
#include "stack/stack.h"

namespace ordercheck {

nlohmann::json json_of(const Case& subject);

// Reads the text and refuses the value when what is spelled out says something else. `value` has passed the schema.
Result<Case> case_of(const nlohmann::json& value);

// What an engine builds of a transform: its hello says it, and a case is judged by it before anything is started.

struct BuiltOption {
  std::string name;                      // "*" stands for every option
  std::vector<std::string> values = {};  // an empty list restricts nothing; a value joined by '+' needs each of its parts
  friend bool operator==(const BuiltOption&, const BuiltOption&) = default;
};

struct BuiltTransform {
  std::string name;
  std::vector<std::string> modes = {};   // as behind '=', "" for an item without a mode; an empty list restricts nothing
  std::vector<std::string> scopes = {};  // "block"; an empty list restricts nothing
  std::vector<BuiltOption> options = {{.name = "*"}};
  friend bool operator==(const BuiltTransform&, const BuiltTransform&) = default;
};

// The first thing of the item that is not built, as a stack writes it: "ep", "tp:plan=blocks", "ac@model"; "" when it all is.
std::string unbuilt_part(const Item& item, const std::vector<BuiltTransform>& built);

// The same of a whole stack, each once.
std::vector<std::string> unbuilt_parts(const Stack& stack, const std::vector<BuiltTransform>& built);

const BuiltTransform* find_built(const std::vector<BuiltTransform>& built, const std::string& name);  // null when there is none

}  // namespace ordercheck
