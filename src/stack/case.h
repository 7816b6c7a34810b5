// Defines a case, one thing to run: a stack, a model, an engine and settings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/enum.h"
#include "base/result.h"
#include "stack/stack.h"

namespace ordercheck {

// exact    float64 with operands and summands rounded to a grid: no sum rounds, so every layout must give the same bits
// plain    float64 without the grid: the control that shows that the comparison can fail
// float32  dtypes and kernels of a real job (float32, or what the stack casts to): compared by distance, not by bits
ORDERCHECK_ENUM(Arithmetic, exact, plain, float32)

struct Settings {
  Arithmetic arithmetic = Arithmetic::exact;
  int grid = 20;           // exact only: operands of contractions are rounded to 2^-grid
  std::uint64_t seed = 1;  // of weights and data
  int steps = 3;
  int accumulation = 2;  // microbatches per step
  friend auto operator<=>(const Settings&, const Settings&) = default;
};

struct Case {
  Stack stack;
  std::string model = "llama";  // a built-in model, or the user's "package.module:factory"
  std::string apply = "";       // the user's "package.module:function" that applies the transforms; the stack
                                // then only describes transforms and mesh. "" if none
  std::string batch = "";       // the user's "package.module:function" for model inputs, and for the loss of
  std::string loss = "";        // the output; "" for tokens and cross entropy
  std::string optimizer = "";   // the user's "package.module:function" that makes the optimizer; "" for AdamW
  std::string step = "";        // the user's "package.module:function" that does a whole training step; "" if none
  // Of a single-rank reference, the `apply` of its case: what the function adds to the model, the reference has too.
  std::string reference_apply = "";
  // Of a single-rank reference with a `step`, the ranks over which its case averages gradients: a step multiplies its loss by
  // them before backward, and every rounding to the grid in between is that of the product.
  int reference_ranks = 1;
  std::string widen = "";  // packages, joined by '+', in which float32 is replaced by float64. "" if none
  std::string engine = "native";
  Settings settings;
  friend bool operator==(const Case&, const Case&) = default;
};

// One line that names the case completely: parse(print(c)) == c. Leaves out settings at their default (steps and accumulation
// at the usual values of the case):
//   "tp=2,ac,fsdp=2"   "fsdp=4 accumulation=4"   "ac engine=pytorch arithmetic=plain seed=2"   "(nothing)" for an empty stack
//   "fsdp=2 model=mine.net:Net engine=pytorch apply=mine.parallel:shard"
std::string print(const Case& c);
Result<Case> parse_case(std::string_view text);

// The default settings of a stack: usual accumulation, and float32 arithmetic if an item casts. Exact arithmetic is float64,
// where the numbers of a cast would depend on the layout.
Settings usual_settings(const Stack& stack);

// The default number of steps: more with a user's `apply`, which may keep state between steps.
int usual_steps(const Case& c);

// The default number of microbatches per step. Two, to expose wrong accumulation; one if the optimizer steps in every backward,
// which cannot accumulate.
int usual_accumulation(const Stack& stack);

// Sets the usual arithmetic of the stack (usual_settings) if the case has exact, which a case without `arithmetic=` gets.
Case with_usual_arithmetic(Case written);

Case usual_case(Stack stack, std::string model, std::string engine);

// The single-rank case whose numbers this case must reproduce: the numeric part of every item (see transforms.h) without
// `apply`, with the same model, functions, engine and settings. `apply` becomes `reference_apply`. If an item casts, layout items
// stay at degree 1: the function then casts on one rank too, and its mesh has the axes of the stack.
Case reference_of(const Case& c);

// The reference in float64, without the transforms that cast: the baseline for distances in float32 arithmetic.
Case float64_of(const Case& c);

// The same case without item `index`, `apply` kept: the baseline for that item's effect.
Case without_item(const Case& c, std::size_t index);

}  // namespace ordercheck
