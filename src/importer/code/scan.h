// The order of transforms in training code, read by a Python program that this binary carries (reader/), so that the syntax is that
// of the Python at hand. It parses and never imports or runs what it reads.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "importer/imported.h"

namespace ordercheck {

// Of code the order is that of its calls; of a config_registry.py it is the order that torchtitan fixes.
inline constexpr const char* kOrderOfCalls = "the order of its calls";

// How code comes to an item.
struct ScannedCall {
  std::string call;       // the callable as written: "fully_shard"
  Origin where;           // of that call; the item's own origin is where the order can be changed
  std::string condition;  // "parallel_dims.fsdp_enabled and reshard"; "" where it is always reached
  // Options that the item does not have because the code does not show them: "unknown", or "other" for a value that the notation
  // has no word for.
  std::map<std::string, std::string> open_options = {};
  friend bool operator==(const ScannedCall& a, const ScannedCall& b) {
    return a.call == b.call && a.where.file == b.where.file && a.where.line == b.where.line && a.condition == b.condition &&
           a.open_options == b.open_options;
  }
};

// One order that a function can apply. `imported.part` is its name: "setup, of policy, where dims.fsdp".
struct ScannedStack {
  Imported imported;
  std::string function_name = {};  // "setup"; "the file" for the body of one
  Origin function;                 // where it is defined
  std::vector<ScannedCall> calls;  // one an item
  friend bool operator==(const ScannedStack& a, const ScannedStack& b) {
    return a.imported == b.imported && a.function.file == b.function.file && a.function.line == b.function.line &&
           a.calls == b.calls;
  }
};

struct UnreadFile {
  Origin where;  // line 0 where none is known
  std::string why;
  friend bool operator==(const UnreadFile& a, const UnreadFile& b) {
    return a.where.file == b.where.file && a.where.line == b.where.line && a.why == b.why;
  }
};

struct ScannedCode {
  int files = 0;                              // that were read
  std::vector<ScannedStack> stacks;           // by file and line of their functions
  std::vector<UnreadFile> unread;             // a file that does not parse, or what is beyond the bounds
  std::vector<NotUnderstood> not_understood;  // in functions that apply nothing else; the others keep theirs
  friend bool operator==(const ScannedCode&, const ScannedCode&) = default;
};

// A .py file, or all of them below a folder.
Result<ScannedCode> scan_code(const std::string& path, std::chrono::milliseconds limit = std::chrono::seconds(120));

// The reader's answer.
Result<ScannedCode> parse_scan_answer(std::string_view text);

// "train.py:12: why"; without the line where none is known.
std::string in_words(const UnreadFile& unread);

// What scanned code says, for people and for programs.

// A paragraph a stack: where its function is, the stack, and each item with its place and its condition; then what was not
// understood, files that were not read, and a line that counts.
std::string render_scan_text(const ScannedCode& code);

std::string render_scan_json(const ScannedCode& code);  // schema "ordercheck/scan/1"

}  // namespace ordercheck
