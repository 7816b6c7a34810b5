// Provides parallel styles: how to split one module over a mesh axis and redistribute at its boundary. After the styles of
// torch.distributed.tensor.parallel and Megatron-LM's column, row and vocabulary parallel layers.
//
// Each style replaces the module's parameters by this rank's piece and adds hooks to its call. Activations are [batch,
// sequence, features]; with `sequence`, those between styles are sharded over the axis along dim 1, else they are equal on all
// its ranks.
#pragma once

#include <string>

#include "native/module/module.h"
#include "stack/mesh.h"

namespace ordercheck::ranks {

struct StyleSite {
  std::string axis;
  Mesh mesh;
  int rank = 0;
  bool sequence = true;  // activations between styles are sharded along the sequence dim
};

// Colwise: shards the weight [out, in] along dim 0, so that each rank computes a part of the output features. No communication.
void split_output_features(Module& module, const StyleSite& site);

// Rowwise: shards the weight [out, in] along dim 1, so that each rank's output is a summand over its input features. A
// post-hook all-reduces the outputs or, with `sequence`, reduce-scatters them along dim 1.
void split_input_features(Module& module, const StyleSite& site);

// Shards an embedding's rows over the axis. The output is zero for token ids of other ranks' rows. A post-hook then sums the
// outputs as split_input_features does.
void split_vocabulary(Module& module, const StyleSite& site);

// SequenceParallel: the module runs on this rank's piece of the sequence with whole parameters, and backward all-reduces their
// gradients over the axis. Frozen parameters become trainable, because torch's SequenceParallel re-registers them without
// requires_grad=False.
void work_on_sequence_piece(Module& module, const StyleSite& site);

// A pre-hook all-gathers input 0 along dim 1, so that the module gets the whole sequence; backward reduce-scatters its
// gradient. Without `sequence` the input is whole already, and backward all-reduces its gradient.
void gather_input(Module& module, const StyleSite& site);

// A pre-hook replaces input 1, the positions of the whole sequence, by those of this rank's sequence piece, which is input 0.
void take_positions_of_piece(Module& module, const StyleSite& site);

// Set module.output_placements without changing the call: the output is sharded over the axis along the sequence dim (not at
// all without `sequence`), or along the heads dim.
void outputs_sequence_piece(Module& module, const StyleSite& site);
void outputs_own_heads(Module& module, const StyleSite& site);

}  // namespace ordercheck::ranks
