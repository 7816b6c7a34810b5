// Holds the result of importing another project's configuration or training code: a stack with its origins.
//
// Each item's `origin` is the file and line that requests it; line 0 means a default of the project. Nothing is guessed:
// `not_understood` lists, with its place, everything that could affect the order but was not understood. Readers accept any
// bytes, never run what they read, and return stacks or one error. An error is one line that begins with "<file>:<line>: " if
// the place is known.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/enum.h"
#include "stack/stack.h"

namespace ordercheck {

// How a note affects the result:
//   open         a transform may be missing
//   remark       a note about calls or keys that are understood
//   refused      the project itself raises an error for it
//   ineffective  the recorded job showed that it had no effect
ORDERCHECK_ENUM(NoteKind, open, remark, refused, ineffective)

struct NotUnderstood {
  std::string text;  // the key, option or call, as written: "context_parallel_backend: xdit"
  Origin where;
  std::string why;  // a clause: "no transform for it"
  NoteKind kind = NoteKind::open;
  friend bool operator==(const NotUnderstood& a, const NotUnderstood& b) {
    return a.text == b.text && a.where.file == b.where.file && a.where.line == b.where.line && a.why == b.why &&
           a.kind == b.kind;
  }
};

// Origin::file of an override that was given on the command line.
inline constexpr const char* kCommandLine = "command line";

// In which order a recorded job applied transforms to modules of one kind.
struct FamilyOrder {
  std::string family;   // "blocks", "embedding", "experts", "head", "model", ...
  std::string modules;  // "layers.*"; "" for the model itself
  int count = 1;
  std::string order;  // "tp, ac, compile, fsdp"; "nothing" for modules that are left out
  friend bool operator==(const FamilyOrder&, const FamilyOrder&) = default;
};

struct Imported {
  std::string format;  // the detected format: "axolotl", "Megatron arguments", "training code"
  // Names one of several stacks in a file: "parallelize_llama, where enable_compile is true"; "" if the file has one.
  std::string part;
  Stack stack;
  // The source of the order: "accelerate 16cb6eb8, accelerator.py ...", or "the order of its calls" for code.
  std::string order_from;
  std::map<std::string, long long> sizes;  // stated in the file, keyed by model_size_names and step_size_names
  std::optional<int> ranks;                // if the file states them
  std::vector<NotUnderstood> not_understood;
  // The project whose own transforms run, with its release if newer ones cannot read such a file: "accelerate",
  // "torchtitan-0.2.2". "" if PyTorch's transforms run.
  std::string project = "";
  std::string fallback = "";               // the target if no page names the project: "pytorch-2.15.0"
  std::vector<FamilyOrder> families = {};  // of a recording
  // Of a recording, one for each item: where an installed package makes its call below the user's line,
  // "torchtitan/models/llama3/parallelize.py:57"; "" if the user's own code makes it.
  std::vector<std::string> package_places = {};
  friend bool operator==(const Imported&, const Imported&) = default;
};

}  // namespace ordercheck
