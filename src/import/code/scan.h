// Finds the stacks that training code applies, with an embedded Python program (reader/) that parses the code with the
// installed Python. The code is never imported or run.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "import/imported.h"

namespace ordercheck {

// Imported::order_from of scanned code. (A config_registry.py has torchtitan's fixed order instead.)
inline constexpr const char* kOrderOfCalls = "the order of its calls";

// The call in the code that applies an item.
struct ScannedCall {
  std::string call;       // the callable as written: "fully_shard"
  Origin where;           // the line of that call; Item::origin is the line where the order can be changed
  std::string condition;  // "parallel_dims.fsdp_enabled and reshard"; "" if unconditional
  // Options that the code sets to a value that it does not show ("unknown") or that the notation cannot express ("other"). The
  // item does not have them.
  std::map<std::string, std::string> open_options = {};
  friend bool operator==(const ScannedCall& a, const ScannedCall& b) {
    return a.call == b.call && a.where.file == b.where.file && a.where.line == b.where.line && a.condition == b.condition &&
           a.open_options == b.open_options;
  }
};

// One order that a function can apply. `imported.part` names it: "setup, of policy, where dims.fsdp".
struct ScannedStack {
  Imported imported;
  std::string function_name = {};  // "setup"; "the file" for module-level code
  Origin function;                 // where the function is defined
  std::vector<ScannedCall> calls;  // one per item
  friend bool operator==(const ScannedStack& a, const ScannedStack& b) {
    return a.imported == b.imported && a.function.file == b.function.file && a.function.line == b.function.line &&
           a.calls == b.calls;
  }
};

struct UnreadFile {
  Origin where;  // line 0 if unknown
  std::string why;
  friend bool operator==(const UnreadFile& a, const UnreadFile& b) {
    return a.where.file == b.where.file && a.where.line == b.where.line && a.why == b.why;
  }
};

// A comment that speaks to ordercheck: "# ordercheck: ignore[ORD-004] reason".
struct Directive {
  Origin where;
  int covers = 0;  // the line that it is about: its own, or the next line of code if it is alone on its line
  std::string text;
  friend bool operator==(const Directive& a, const Directive& b) {
    return a.where.file == b.where.file && a.where.line == b.where.line && a.covers == b.covers && a.text == b.text;
  }
};

struct ScannedCode {
  int files = 0;                              // number of files read
  std::vector<ScannedStack> stacks;           // sorted by file and line of their functions
  std::vector<UnreadFile> unread;             // files that do not parse or exceed a limit
  std::vector<NotUnderstood> not_understood;  // in functions without a stack; those of a stack are in it
  std::vector<Directive> directives;          // by file and line; not validated
  friend bool operator==(const ScannedCode&, const ScannedCode&) = default;
};

// Scans a .py file, or all .py files below a folder.
Result<ScannedCode> scan_code(const std::string& path, std::chrono::milliseconds limit = std::chrono::seconds(120));

// Parses the answer of the reader program.
Result<ScannedCode> parse_scan_answer(std::string_view text);

// "train.py:12: why", or "train.py: why" if the line is unknown.
std::string in_words(const UnreadFile& unread);

// Renders scanned code for users and programs.

// One paragraph per stack: the place of its function, the stack, and each item with its place and condition. Then what was not
// understood, the unread files, and a line of counts.
std::string render_scan_text(const ScannedCode& code);

std::string render_scan_json(const ScannedCode& code);  // schema "ordercheck/scan/1"

}  // namespace ordercheck
