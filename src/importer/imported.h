// What a configuration or training code of another project says of the order, as a stack.
//
// Each item's `origin` is the file and line that asks for it; line 0 where no line does, since it is the project's default. Nothing
// is guessed: what could matter to the order and was not
// understood stands in `not_understood`, each with its place. Readers take any bytes, run nothing of what they read, and answer
// with stacks or one error, which is one line that begins with "<file>:<line>: " where a place is known.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/enum.h"
#include "stack/stack.h"

namespace ordercheck {

//   open     a transform may be missing       remark  what is said of calls or keys that are understood
//   refused  the project itself raises on it
ORDERCHECK_ENUM(NoteKind, open, remark, refused)

struct NotUnderstood {
  std::string text;  // the key, option or call, as it stands there: "context_parallel_backend: xdit"
  Origin where;
  std::string why;  // a clause: "no transform stands for it"
  NoteKind kind = NoteKind::open;
  friend bool operator==(const NotUnderstood& a, const NotUnderstood& b) {
    return a.text == b.text && a.where.file == b.where.file && a.where.line == b.where.line && a.why == b.why &&
           a.kind == b.kind;
  }
};

// The file of an origin that an option behind the file states.
inline constexpr const char* kCommandLine = "command line";

struct Imported {
  std::string format;  // what it was read as: "axolotl", "Megatron arguments", "training code"
  // Which of several stacks of a file: "parallelize_llama, where enable_compile is true"; "" where a file holds one.
  std::string part;
  Stack stack;
  // Who fixes the order, in words with its source: "accelerate 16cb6eb8, accelerator.py ..."; of code: "the order of its calls".
  std::string order_from;
  std::map<std::string, long long> sizes;  // that the file states, by the names of model_size_names and step_size_names
  std::optional<int> ranks;                // where the file states them
  std::vector<NotUnderstood> not_understood;
  // Whose own implementation of the transforms runs, with the release that reads such a file where newer ones do not:
  // "accelerate", "torchtitan-0.2.2"; "" where PyTorch's does.
  std::string project = "";
  friend bool operator==(const Imported&, const Imported&) = default;
};

}  // namespace ordercheck
