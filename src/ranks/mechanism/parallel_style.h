// Parallel styles: how one module is split over a mesh axis and what is redistributed at its boundary. After the styles
// of torch.distributed.tensor.parallel and Megatron-LM's column, row and vocabulary parallel layers.
//
// Each acts on the one module it is handed: it replaces parameters by this rank's piece and registers hooks around the
// call. Activations are [batch, sequence, features]; with `sequence` they lie sharded along dim 1 between the styles.
#pragma once

#include <string>

#include "ranks/module/module.h"
#include "stack/mesh.h"

namespace ordercheck::ranks {

struct StyleSite {
  std::string axis;
  Mesh mesh;
  int rank = 0;
  bool sequence = true;  // sequence parallel
};

// Weight split by rows: each rank computes some output features. Nothing is sent.
void split_output_features(Module& module, const StyleSite& site);

// Weight split by columns: each rank sums over some input features; the partial outputs are summed, and with `sequence`
// scattered along dim 1.
void split_input_features(Module& module, const StyleSite& site);

// Embedding rows split by vocabulary: ids of other ranks give zero, then as split_input_features.
void split_vocabulary(Module& module, const StyleSite& site);

// The module works on a piece of the sequence; its parameters stay whole and their partial gradients are summed. As SequenceParallel
// registers them anew, they are trained from then on, frozen before or not.
void work_on_sequence_piece(Module& module, const StyleSite& site);

// Input 0 arrives sharded along dim 1 (or, without `sequence`, whole) and is needed whole; what comes out lies as what
// came in.
void gather_input(Module& module, const StyleSite& site);

// Input 1, the positions of the whole sequence that input 0 is a piece of, becomes those of the piece.
void take_positions_of_piece(Module& module, const StyleSite& site);

// Nothing is changed; only says how the output lies: as pieces of the sequence, or as this rank's heads.
void outputs_sequence_piece(Module& module, const StyleSite& site);
void outputs_own_heads(Module& module, const StyleSite& site);

}  // namespace ordercheck::ranks
