// Lists every transform that a stack may name, in one explicit table.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stack/stack.h"

namespace ordercheck {

// Layout transforms (tp, fsdp, ...) must not change numbers. Numeric ones (optimizer, amp, ...) may, so the single-rank
// reference runs them too.
enum class TransformKind { layout, numeric };

// What may follow '='.
enum class ValueForm { none, degree, degree_pair, mode };

// What may follow an option's '='.
//   flag    no value
//   count   an integer of at least 1
//   number  a decimal of at least 0 (0.1, 3e-4), or one of `words`
//   word    letters, digits, '_', '.', '-', '+'; one of `words` if that is not empty
//   list    words without '+', joined by '+' in order; duplicates are allowed
enum class OptionForm { flag, count, number, word, list };

struct OptionInfo {
  std::string name;
  OptionForm form = OptionForm::flag;
  std::vector<std::string> words = {};
  std::string group = "";   // an item has at most one option of a group: pp:gpipe or pp:1f1b
  bool casts = false;       // makes a layout transform change numbers, see TransformInfo::casts
  bool layout = false;      // of a numeric transform: the option must not change numbers
  std::string axis = "";    // the mesh axis that a count sizes, besides the transform's axes; "" if none
  std::string absent = "";  // describes an item without the option: "in place"; "" to say nothing
  // A size of the job. If it is above 0, a stack without the option leaves it open; "" if never.
  std::string unsaid_if = "";
};

// What a run must show of a transform, else the transform was ignored. record/effect_families.h has a check per name.
//   recompute         backward reruns forward operators, and saves less
//   kept              a policy keeps results for the recomputation
//   captured          graphs run the matrix products of the compiled modules
//   tensor_parallel   every product is split, and the ranks communicate
//   context_parallel  keys and values are gathered (ulysses: exchanged for heads), and the work is split
//   expert_parallel   tokens go to the ranks of their experts, and their gradients back
//   pipeline          stages send messages, and each does a part of the work
//   sharded           parameters are all-gathered, gradients reduce-scattered, the batch is split; with a bucket, several at
//                     once; with reshard=always, gathered again in backward
//   replicated        gradients are all-reduced, and the batch is split; with a bucket, several at once
//   placed            the ranks communicate, and each computes less
//   moved_numbers     losses differ from those without it
//   updates           parameters change
enum class OwedEffect {
  recompute,
  kept,
  captured,
  tensor_parallel,
  context_parallel,
  expert_parallel,
  pipeline,
  sharded,
  replicated,
  placed,
  moved_numbers,
  updates
};

// The description of one transform: its syntax, mesh axes, scopes and expected effects.
struct TransformInfo {
  std::string name;    // in a stack: "fsdp"
  std::string title;   // in prose: "fully sharded data parallel (FSDP2)"
  std::string nested;  // in FSDP(AC(model)): "FSDP"
  TransformKind kind;
  ValueForm value;
  Scope scope;                     // the default
  std::vector<std::string> axes;   // mesh axes that its degrees size, outermost first; empty if none
  std::vector<OwedEffect> owes;    // empty: no effect is checked, so it is never ignored
  std::vector<std::string> modes;  // values of `=mode`
  std::vector<OptionInfo> options;
  std::optional<Scope> outermost = {};  // the scope when nested outermost; unset: `scope`
  bool captures = false;                // captures a graph itself, without torch.compile
  bool casts = false;                   // casts before a reduction, so that results depend on the layout
  // What a program does between transforms, such as a call of the model. No page lists it among the transforms.
  bool between = false;
};

const std::vector<TransformInfo>& transforms();

// The names of transforms or of options.
template <class Infos>
std::vector<std::string> names_in(const Infos& infos) {
  std::vector<std::string> names;
  for (const auto& info : infos) names.push_back(info.name);
  return names;
}

const TransformInfo* find_transform(std::string_view name);  // null if there is no such transform
const TransformInfo& info_of(const Item& item);              // asserts that the item names a transform
const OptionInfo* find_option(const TransformInfo& transform, std::string_view name);  // null if there is no such option

// The part of an item that the single-rank reference run applies too, because it changes numbers; nullopt if there is none.
// - numeric transform: itself without layout options (optimizer=sgd:in_backward=on gives optimizer=sgd)
// - layout transform: its casting options at degree 1 (fsdp=4:reshard=never:mp=bf16 gives fsdp=1:mp=bf16)
std::optional<Item> numeric_part(const Item& item);

// The part of an item that casts to another dtype: the transform ("amp"), an option ("fsdp:mp"), or "" if none.
std::string casting_part(const Item& item);
bool casts(const Item& item);

}  // namespace ordercheck
