// Parses .ordercheck.toml: the stacks of a user's repository and the findings that are allowed in them. A pyproject.toml has
// the same keys below [tool.ordercheck]: [[tool.ordercheck.stack]].
//
//   rules = ["ordercheck-rules"]          # folders of your own rule pages, relative to this file; optional
//
//   [[stack]]
//   name = "pretrain"
//   stack = "pp=2,tp=2,ac,compile,fsdp=2"
//   for = "pytorch-2.11"                  # default: the newest pytorch in the rules
//   model = "train.model:build"           # this and the following keys are for `run` and `watch`; `check` imports nothing
//   apply = "train.parallel:apply"
//   batch = "train.data:batch"
//   loss = "train.loss:loss"
//   optimizer = "train.optim:make"
//   step = "train.loop:step"
//   widen = ["train"]                     # packages in which float32 is replaced by float64
//   arithmetic = "exact"                  # exact, plain or float32
//   steps = 5
//   python = ".venv/bin/python"           # relative to the folder of this file; for `run`
//   sizes = { heads = 32, kv_heads = 8, sequence_length = 8192, ranks = 16 }
//
//   [[allow]]
//   rule = "ORD-010"
//   stack = "pretrain"                    # default: every stack
//   reason = "compile before FSDP costs us a graph break; see issue 12"
//   until = 2027-03-01                    # the last day, quoted or not; an expired entry is an error
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "rules/job.h"
#include "stack/case.h"
#include "stack/stack.h"

namespace ordercheck {

inline constexpr const char* kProjectFile = ".ordercheck.toml";
inline constexpr const char* kPythonProject = "pyproject.toml";

// How to run a stack.
struct ProjectRun {
  std::string model, apply, batch, loss, optimizer, step;  // pkg:function; "" if unset
  std::string widen;                                       // packages, joined by '+'
  std::string python;                                      // an interpreter, as written
  std::optional<Arithmetic> arithmetic;
  std::optional<int> steps;
};

struct ProjectStack {
  std::string name;  // unique
  Stack stack;
  std::string target;  // "pytorch-2.11"; "" if unset
  ProjectRun run;
  Job job;                // only the sizes in the file
  int line = 1;           // of the key `stack`; for scanned code, of the function
  std::string file = {};  // of scanned code; "" for a stack in the project file
};

// Accepts the findings of one rule: an [[allow]] entry, or an id in an ignore comment of training code.
struct Allow {
  std::string rule;   // an id; "unknown-ep" for a transform without a rule or run
  std::string stack;  // a name; "" for every stack
  std::string reason;
  std::string until;      // 2027-03-01; "" for a comment, which does not expire
  int line = 1;           // of the key `rule`, or of the comment
  std::string file = {};  // as named in errors and reports
  int covers = 0;         // for a comment, the line of `file` whose findings it covers; 0 for an [[allow]] entry
};

struct Project {
  std::string path;                // as named in errors and reports
  std::vector<std::string> rules;  // relative to the folder of the file
  std::vector<ProjectStack> stacks;
  std::vector<Allow> allows;
};

// Strict: unknown keys, unknown sizes and entries for unknown stacks are errors that begin with file and line. In a
// pyproject.toml it reads only [tool.ordercheck], which must exist. A file may have no stack.
Result<Project> parse_project(std::string_view text, const std::string& path);

// Whether the text is TOML with a table [tool.ordercheck].
bool has_project_table(std::string_view text);

// The case to run, with default settings where the file sets none.
Case case_of(const ProjectStack& one);

}  // namespace ordercheck
