// Encodes a case (stack, model, engine, settings) as JSON for the engine's `run` message (definition `case` of
// schema/run.json). The JSON has the case's text and the parsed form with each transform's kind, scope and mesh axes, so
// engines need no parser for the notation. Thread safe.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "stack/case.h"
#include "stack/stack.h"

namespace ordercheck {

nlohmann::json json_of(const Case& subject);

// Parses the case's text in `value`; an error if the parsed form next to it disagrees. `value` must have passed check_schema.
Result<Case> case_of(const nlohmann::json& value);

// Which modes, scopes and options of a transform an engine implements. The engine's hello message lists them. A case that
// needs anything else is not started.

struct BuiltOption {
  std::string name;                      // the option's name; "*" for every option
  std::vector<std::string> values = {};  // implemented values, empty: any; "a+b" needs both "a" and "b"
  friend bool operator==(const BuiltOption&, const BuiltOption&) = default;
};

struct BuiltTransform {
  std::string name;
  std::vector<std::string> modes = {};   // implemented modes (what may follow '='), "" for none written; empty: any
  std::vector<std::string> scopes = {};  // implemented scopes: "block"; empty: any
  std::vector<BuiltOption> options = {{.name = "*"}};
  friend bool operator==(const BuiltTransform&, const BuiltTransform&) = default;
};

// The first part of the item that the engine does not implement, in stack notation: "ep", "tp:plan=blocks", "ac@model"; "" if
// it implements all.
std::string unbuilt_part(const Item& item, const std::vector<BuiltTransform>& built);

// unbuilt_part() of every item of a stack, without duplicates.
std::vector<std::string> unbuilt_parts(const Stack& stack, const std::vector<BuiltTransform>& built);

const BuiltTransform* find_built(const std::vector<BuiltTransform>& built, const std::string& name);  // null if there is none

}  // namespace ordercheck
