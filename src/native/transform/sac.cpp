// `sac`: selective activation checkpointing by operator. Checkpoints each block, but keeps the results of the operators in its
// policy.
//
//   policy   families joined by '+': linear (aten::mm), attention, gather, reduce_scatter, all_reduce; default
//            linear+attention+reduce_scatter
//   n        keeps the first of every n runs of `linear`; default 2, as in torchtitan
#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "native/transform/checkpoint_wrapper.h"
#include "native/transform/selective_cache.h"
#include "native/transform/transform.h"

namespace ordercheck::ranks {
namespace {

struct OperatorFamily {
  const char* name;
  const char* op;
};

constexpr OperatorFamily kFamilies[] = {
    {"linear", "aten::mm"},
    {"attention", "aten::_scaled_dot_product_flash_attention_for_cpu"},
    {"gather", "_c10d_functional::all_gather_into_tensor"},
    {"reduce_scatter", "_c10d_functional::reduce_scatter_tensor"},
    {"all_reduce", "_c10d_functional::all_reduce"},
};

std::vector<std::string> families_of(const Item& item) {
  return split(option_of(item, "policy").value_or("linear+attention+reduce_scatter"), '+');
}

const OperatorFamily* find_family(const std::string& name) {
  const auto found =
      std::find_if(std::begin(kFamilies), std::end(kFamilies), [&](const OperatorFamily& f) { return f.name == name; });
  return found == std::end(kFamilies) ? nullptr : found;
}

std::vector<std::string> policies() {
  std::vector<std::string> names;
  for (const OperatorFamily& family : kFamilies) names.emplace_back(family.name);
  return names;
}

void apply_sac(TrainingProgram& program, const Item& item, const Site&) {
  std::vector<std::string> kept;
  for (const std::string& name : families_of(item)) kept.push_back(find_family(name)->op);
  const int every = count_option(item, "n", 2);
  const KeepPolicy policy = [kept, every](const std::string& op, int run) {
    if (std::find(kept.begin(), kept.end(), op) == kept.end()) return false;
    return op != "aten::mm" || run % every == 0;
  };
  RecomputeOptions options;
  options.preserve_random_state = option_of(item, "preserve_rng_state") != "off";
  options.modes = [policy] { return selective_cache(policy); };
  for (const ModulePtr& model : program.parts) checkpoint_blocks(model, 1, options);
}

}  // namespace

Transform sac_transform() {
  return {.built = {.name = "sac", .scopes = {"block"}, .options = {{"policy", policies()}, {"n"}, {"preserve_rng_state"}}},
          .apply = apply_sac};
}

}  // namespace ordercheck::ranks
