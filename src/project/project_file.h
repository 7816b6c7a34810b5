// .ordercheck.toml: the stacks of a user's repository, and what is knowingly let stand in them. In a pyproject.toml the same stands
// below [tool.ordercheck]: [[tool.ordercheck.stack]].
//
//   rules = ["ordercheck-rules"]          # folders of rule pages of your own, beside this file; may be left out
//
//   [[stack]]
//   name = "pretrain"
//   stack = "pp=2,tp=2,ac,compile,fsdp=2"
//   for = "pytorch-2.11"                  # else the newest pytorch that the rules know
//   model = "train.model:build"           # this and what follows is for `run` and `watch`; `check` imports nothing of it
//   apply = "train.parallel:apply"
//   batch = "train.data:batch"
//   loss = "train.loss:loss"
//   widen = ["train"]                     # packages whose code asks for float32
//   arithmetic = "exact"                  # exact, plain or float32
//   steps = 5
//   python = ".venv/bin/python"           # as seen from the folder of this file; for `run`
//   sizes = { heads = 32, kv_heads = 8, sequence_length = 8192, world = 16 }
//
//   [[allow]]
//   rule = "ORD-010"
//   stack = "pretrain"                    # else in every stack
//   reason = "compile before FSDP costs us a graph break; see issue 12"
//   until = 2027-03-01                    # the last day, quoted or not; after it the entry is an error
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "rule/job.h"
#include "stack/case.h"
#include "stack/stack.h"

namespace ordercheck {

inline constexpr const char* kProjectFile = ".ordercheck.toml";
inline constexpr const char* kPythonProject = "pyproject.toml";

// How a stack is run, where it is.
struct ProjectRun {
  std::string model, apply, batch, loss;  // pkg:function, "" for none
  std::string widen;                      // packages, joined by '+'
  std::string python;                     // an interpreter, as written
  std::optional<Arithmetic> arithmetic;
  std::optional<int> steps;
};

struct ProjectStack {
  std::string name;  // each once
  Stack stack;
  std::string target;  // "pytorch-2.11"; "" where it was not said
  ProjectRun run;
  Job job;                // what was written and nothing else
  int line = 1;           // of the key `stack`; of scanned code, of the function
  std::string file = {};  // of scanned code; "" for a stack that the project's own file states
};

struct Allow {
  std::string rule;   // an id; "unknown-ep" for a transform that nothing is known of
  std::string stack;  // a name; "" for every stack
  std::string reason;
  std::string until;  // 2027-03-01
  int line = 1;       // of the key `rule`
};

struct Project {
  std::string path;                // as errors and reports name it
  std::vector<std::string> rules;  // relative to the folder of the file
  std::vector<ProjectStack> stacks;
  std::vector<Allow> allows;
};

// Strict: an unknown key, an unknown size, a stack of no such name are errors that begin with file and line. Of a pyproject.toml
// nothing else than [tool.ordercheck] is looked at; one without that is an error.
Result<Project> parse_project(std::string_view text, const std::string& path);

// Whether the text is TOML with a table [tool.ordercheck].
bool has_project_table(std::string_view text);

// The stack as it is run: with its usual settings where the file gives no others.
Case case_of(const ProjectStack& one);

}  // namespace ordercheck
