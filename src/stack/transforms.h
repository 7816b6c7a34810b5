// The catalogue of transforms: every name that a stack may use, and what stands behind it. An explicit table.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stack/stack.h"

namespace ordercheck {

// Layout transforms must not change numbers; numeric ones do, and belong to the reference too.
enum class TransformKind { layout, numeric };

// What may stand behind '='.
enum class ValueForm { none, degree, degree_pair, mode };

// What may stand behind an option's '='.
//   flag    nothing: the option is there or it is not
//   count   an integer of at least 1
//   number  a decimal of at least 0: 0.1, 3e-4; or one of `words`
//   word    letters, digits, '_', '.', '-', '+'; one of `words` when there are any
//   list    such words without '+', joined by '+' in their order; one may come more than once
enum class OptionForm { flag, count, number, word, list };

struct OptionInfo {
  std::string name;
  OptionForm form = OptionForm::flag;
  std::vector<std::string> words = {};
  std::string group = "";   // an item carries at most one option of a group: pp:gpipe or pp:1f1b
  bool casts = false;       // with it a layout transform changes numbers too: it casts, as `casts` of a transform
  bool layout = false;      // of a numeric transform: says how and not what, and must not change numbers
  std::string axis = "";    // the mesh axis that a count sizes, beside those of the transform; "" for none
  std::string absent = "";  // what an item without it is, behind its name: "in place"; "" for nothing worth saying
};

// An effect that a transform owes: what a run must show for it not to be ignored. What is looked at stands in
// parity/effect_families.h, under the same name.
//   recompute         forward operators run again in backward, and less is saved for it
//   kept              a policy hands results to the recomputation
//   captured          graphs run the matrix products of what was handed to compile
//   tensor_parallel   every product is split, and the ranks talk
//   context_parallel  keys and values are gathered, and the work is split
//   expert_parallel   tokens travel to the ranks of their experts, and their gradients back
//   pipeline          stages send messages and have a part of the work each
//   sharded           parameters are gathered, gradients scattered, and the batch is split; with a bucket, several at once;
//                     with reshard=always, gathered again in backward
//   replicated        gradients are reduced, and the batch is split; with a bucket, several at once
//   moved_numbers     losses are others than without it
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
  moved_numbers,
  updates
};

// One transform, described once: the notation, the mesh, the protocol, the effects and the pages all read its row.
struct TransformInfo {
  std::string name;    // as in a stack: "fsdp"
  std::string title;   // as in prose: "fully sharded data parallel (FSDP2)"
  std::string nested;  // as in FSDP(AC(model)): "FSDP"
  TransformKind kind;
  ValueForm value;
  Scope scope;                     // the default
  std::vector<std::string> axes;   // mesh axes that its degrees size, outermost first; empty when it has none
  std::vector<OwedEffect> owes;    // empty: nothing is stated, and it is never found ignored
  std::vector<std::string> modes;  // what `=mode` may be
  std::vector<OptionInfo> options;
  std::optional<Scope> outermost = {};  // what it is of where it is written around everything; nothing: the default
  bool captures = false;                // a graph, by itself: no code of torch.compile's
  bool casts = false;                   // to another dtype before a reduction: what comes of it is up to the layout
};

const std::vector<TransformInfo>& transforms();

// Of transforms, or of a transform's options.
template <class Infos>
std::vector<std::string> names_in(const Infos& infos) {
  std::vector<std::string> names;
  for (const auto& info : infos) names.push_back(info.name);
  return names;
}

const TransformInfo* find_transform(std::string_view name);  // null when there is no such transform
const TransformInfo& info_of(const Item& item);              // every item of a stack has one (asserted)
const OptionInfo* find_option(const TransformInfo& transform, std::string_view name);  // null when it has no such option

// What is left of an item on the one rank that a layout owes its numbers to: a numeric one without its options that are layout
// (optimizer=sgd:in_backward=on is optimizer=sgd); of a layout one the options that cast, at degree 1
// (fsdp=4:reshard=never:mp=bf16 is fsdp=1:mp=bf16); nothing where it has none.
std::optional<Item> numeric_part(const Item& item);

// What of it casts to another dtype: itself ("amp"), an option ("fsdp:mp"), or nothing ("").
std::string casting_part(const Item& item);
bool casts(const Item& item);

}  // namespace ordercheck
