// A case: a stack, a model, an engine and settings. One thing to run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/enum.h"
#include "base/result.h"
#include "stack/stack.h"

namespace ordercheck {

// exact   float64, operands and summands rounded to a grid so that no sum ever rounds: any layout owes the same bits
// plain   float64 without the grid: the control that shows the comparison can fail
// float32 the dtype and kernels of a real job (float32, or what the stack casts to): judged by distance, not by bits
ORDERCHECK_ENUM(Arithmetic, exact, plain, float32)

struct Settings {
  Arithmetic arithmetic = Arithmetic::exact;
  int grid = 20;           // operands of contractions are rounded to 2^-grid (exact only)
  std::uint64_t seed = 1;  // of weights and data
  int steps = 3;
  int accumulation = 2;  // microbatches per step
  friend auto operator<=>(const Settings&, const Settings&) = default;
};

struct Case {
  Stack stack;
  std::string model = "llama";  // one of the engine's, or the user's own: "package.module:factory"
  std::string apply = "";       // the user's own function, "package.module:function", that applies the transforms; the
                                // stack then only says what it is to apply, and on what mesh. "" for none
  std::string batch = "";       // the user's own inputs of the model and loss of its output, "package.module:function"; ""
  std::string loss = "";        // for tokens and cross entropy
  std::string widen = "";       // packages, joined by '+', whose code asks for float32 and is given float64. "" for none
  std::string engine = "native";
  Settings settings;
  friend bool operator==(const Case&, const Case&) = default;
};

// One line that names the case wholly; parse(print(c)) == c. Settings at their default are not printed (of steps and accumulation:
// the usual ones of the case):
//   "tp=2,ac,fsdp=2"   "fsdp=4 accumulation=4"   "ac engine=pytorch arithmetic=plain seed=2"   "(nothing)" for no item
//   "fsdp=2 model=mine.net:Net engine=pytorch apply=mine.parallel:shard"
std::string print(const Case& c);
Result<Case> parse_case(std::string_view text);

// The settings that a stack runs with where nobody asks for others: the default, but float32 arithmetic where an item casts,
// since exact arithmetic is float64 and its numbers would be up to the layout, and the usual accumulation.
Settings usual_settings(const Stack& stack);

// How many steps a case runs where nobody says: of a function of the user's more, since what it keeps between steps is unknown.
int usual_steps(const Case& c);

// How many microbatches a step has where nobody says: one where the optimizer steps in every backward. Two are meant to show a
// wrong accumulation, and such a trainer has none.
int usual_accumulation(const Stack& stack);

// A case as somebody wrote it: exact arithmetic, which nobody needs to write, is the usual one of its stack.
Case with_usual_arithmetic(Case written);

// A stack with its usual settings.
Case usual_case(Stack stack, std::string model, std::string engine);

// The case on one rank that this one owes its numbers to: the plain model with the numeric part of every item (see
// transforms.h) and nobody's `apply`; same model, engine and settings.
Case reference_of(const Case& c);

// The same on one rank in float64: the reference without the transforms that cast. What float32 arithmetic is far from or
// close to.
Case float64_of(const Case& c);

// The twin that an item's effect is measured against: the same case without item `index`,
// `apply` kept.
Case without_item(const Case& c, std::size_t index);

}  // namespace ordercheck
