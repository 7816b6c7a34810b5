// `cp`: context parallelism: each rank has a piece of every sequence, and attention sees the keys and values of all ranks.
//
//   all_gather   the default: gathers keys and values before attention, and scatters their gradients after it
//   ring         sends keys and values from rank to rank
//   balance      head_tail: a piece is a chunk from the front and one from the back; contiguous otherwise
//
// After torch's _ContextParallel on every inner attention, and its _context_parallel_shard. A rank's backward gives the
// gradients of its own tokens only. Transforms that shard or replicate parameters over cp sum them over cp too. The training
// loop sums all other gradients over cp after the last backward, before clipping.
#include "native/transform/attribute.h"
#include "native/transform/ring_attention.h"
#include "native/transform/sequence_pieces.h"
#include "native/transform/sharded_blocks.h"
#include "native/transform/transform.h"
#include "native/world/collectives.h"

namespace ordercheck::ranks {
namespace {

constexpr const char* kContextAxis = "cp";
constexpr int64_t kTokensDim = 1;       // sequence dim of tokens and labels
constexpr int64_t kKeysDim = 2;         // sequence dim of queries, keys and values
constexpr int64_t kOfPositionsDim = 0;  // sequence dim of positions

void gather_keys_and_values(Module& inner_attention, SequenceOrder order) {
  inner_attention.add_pre_hook([order](Module&, Tensors inputs) {
    for (const std::size_t gathered : {1, 2}) inputs[gathered] = gather_from_group(inputs[gathered], kKeysDim, kContextAxis);
    inputs.resize(3);
    inputs.push_back(causal_mask(inputs[0].size(kKeysDim), inputs[1].size(kKeysDim), kContextAxis, /*of=*/-1, order));
    return inputs;
  });
}

void send_round(Module& inner_attention, SequenceOrder order) {
  inner_attention.replace_body(
      [order](const Body&) {
        return [order](const Tensors& inputs) { return ring_attention(inputs[0], inputs[1], inputs[2], kContextAxis, order); };
      },
      InCopies::kept);
}

void apply_cp(TrainingProgram& program, const Item& item, const Site&) {
  const SequenceOrder order = option_of(item, "balance") ? SequenceOrder::head_tail : SequenceOrder::in_turn;
  for (const ModulePtr& block : blocks_of(program.parts)) {
    const ModulePtr inner_attention = attribute(attribute(block, "attention"), "inner_attention");
    if (option_of(item, "ring"))
      send_round(*inner_attention, order);
    else
      gather_keys_and_values(*inner_attention, order);
  }
  program.on_batch.push_back([order](Tensors batch) {
    return Tensors{sequence_piece(batch[0], kTokensDim, kContextAxis, order),
                   sequence_piece(batch[1], kTokensDim, kContextAxis, order),
                   sequence_piece(batch[2], kOfPositionsDim, kContextAxis, order)};
  });
  program.late_sums.push_back({.axis = kContextAxis, .of = [](const NamedParameter&) { return true; }});
}

}  // namespace

Transform cp_transform() {
  return {.built = {.name = "cp", .scopes = {"attention"}, .options = {{"all_gather"}, {"ring"}, {"balance"}}},
          .apply = apply_cp};
}

}  // namespace ordercheck::ranks
