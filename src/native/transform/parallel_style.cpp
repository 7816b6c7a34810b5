#include "native/transform/parallel_style.h"

#include <memory>

#include <ATen/ATen.h>

#include "native/transform/sequence_pieces.h"
#include "native/world/collectives.h"

namespace ordercheck::ranks {
namespace {

constexpr int64_t kSequenceDim = 1;
constexpr int64_t kHeadDim = 1;  // dim of an attention output, [batch, heads, sequence, head_dim]
constexpr int64_t kFeatureDim = 2;

Placement shard_on(const StyleSite& site, int64_t dim) {
  return {.axis = site.axis, .kind = Placement::Kind::shard, .dim = dim};
}

void split_weight(Module& module, const StyleSite& site, int64_t dim) {
  module.set_parameter("weight", distribute(*module.parameter("weight"), {shard_on(site, dim)}, site.mesh, site.rank));
}

// Sums the ranks' partial outputs: by reduce-scatter along the sequence with `sequence`, else by all-reduce.
at::Tensor sum_partials(const at::Tensor& partial, const StyleSite& site) {
  return site.sequence ? scatter_to_group(partial, kSequenceDim, site.axis) : reduce_from_group(partial, site.axis);
}

void place_output(Module& module, const StyleSite& site) {
  module.output_placements.clear();
  if (site.sequence) module.output_placements.push_back(shard_on(site, kSequenceDim));
}

}  // namespace

void split_output_features(Module& module, const StyleSite& site) {
  split_weight(module, site, 0);
  module.output_placements = {shard_on(site, kFeatureDim)};
}

void split_input_features(Module& module, const StyleSite& site) {
  split_weight(module, site, 1);
  module.add_post_hook([site](Module&, const Tensors&, const at::Tensor& output) { return sum_partials(output, site); });
  place_output(module, site);
}

void split_vocabulary(Module& module, const StyleSite& site) {
  const int64_t vocabulary = module.parameter("weight")->full_shape[0];
  split_weight(module, site, 0);
  const Span rows = chunk_of(vocabulary, degree_of(site.mesh, site.axis), group_rank(site.axis));
  // Which tokens of the current call have rows on this rank; the pre-hook sets it for the post-hook.
  auto mine = std::make_shared<at::Tensor>();
  module.add_pre_hook([rows, mine](Module&, Tensors inputs) {
    const at::Tensor local = inputs[0] - rows.start;
    *mine = local.ge(0).logical_and(local.lt(rows.length));
    inputs[0] = local.clamp(0, rows.length - 1);
    return inputs;
  });
  module.add_post_hook([site, mine](Module&, const Tensors&, const at::Tensor& output) {
    return sum_partials(output * mine->unsqueeze(-1).to(output.scalar_type()), site);
  });
  place_output(module, site);
}

void work_on_sequence_piece(Module& module, const StyleSite& site) {
  place_output(module, site);
  if (!site.sequence) return;
  const auto slots = module.parameters();  // a copy: the loop modifies the original
  for (const auto& [slot, before] : slots) {
    const ParameterPtr parameter = replicate(*before, site.axis);
    // SequenceParallel creates an nn.Parameter without passing requires_grad on.
    parameter->tensor.set_requires_grad(true);
    module.set_parameter(slot, parameter);
    parameter->on_use.push_back([site](const at::Tensor& leaf) { return copy_to_group(leaf, site.axis); });
  }
}

void gather_input(Module& module, const StyleSite& site) {
  module.add_pre_hook([site](Module&, Tensors inputs) {
    inputs[0] = site.sequence ? gather_from_group(inputs[0], kSequenceDim, site.axis) : copy_to_group(inputs[0], site.axis);
    return inputs;
  });
  place_output(module, site);
}

void take_positions_of_piece(Module& module, const StyleSite& site) {
  place_output(module, site);
  if (!site.sequence) return;
  module.add_pre_hook([site](Module&, Tensors inputs) {
    inputs[1] = sequence_piece(inputs[1], 0, site.axis);
    return inputs;
  });
}

void outputs_sequence_piece(Module& module, const StyleSite& site) { place_output(module, site); }

void outputs_own_heads(Module& module, const StyleSite& site) { module.output_placements = {shard_on(site, kHeadDim)}; }

}  // namespace ordercheck::ranks
