// `cp`: context parallelism: each rank has a piece of every sequence, and attention sees the keys and values of all.
//
//   all_gather   keys and values are gathered before attention, their gradients scattered behind it: what no option means
//   ring         they go from rank to rank
//   balance      head_tail: a piece is a chunk from the front and one from the back; a contiguous one otherwise
// After torch's _ContextParallel on every inner attention, and its _context_parallel_shard. Each rank has the gradients of its own
// tokens. What shards or replicates parameters over these ranks too sums them; for parameters that nothing does it for, the
// trainer has to, between backward and clipping.
#include "ranks/comm/collectives.h"
#include "ranks/mechanism/attribute.h"
#include "ranks/mechanism/ring_attention.h"
#include "ranks/mechanism/sequence_pieces.h"
#include "ranks/mechanism/sharded_blocks.h"
#include "ranks/transform/transform.h"

namespace ordercheck::ranks {
namespace {

constexpr const char* kAxis = "cp";
constexpr int64_t kSequenceDim = 1;     // of tokens and labels
constexpr int64_t kKeysDim = 2;         // of queries, keys and values
constexpr int64_t kOfPositionsDim = 0;  // of positions

void gather_keys_and_values(Module& inner_attention, SequenceOrder order) {
  inner_attention.add_pre_hook([order](Module&, Tensors inputs) {
    for (const std::size_t gathered : {1, 2}) inputs[gathered] = gather_from_group(inputs[gathered], kKeysDim, kAxis);
    inputs.resize(3);
    inputs.push_back(causal_mask(inputs[0].size(kKeysDim), inputs[1].size(kKeysDim), kAxis, /*of=*/-1, order));
    return inputs;
  });
}

void send_round(Module& inner_attention, SequenceOrder order) {
  inner_attention.replace_body(
      [order](const Body&) {
        return [order](const Tensors& inputs) { return ring_attention(inputs[0], inputs[1], inputs[2], kAxis, order); };
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
    return Tensors{sequence_piece(batch[0], kSequenceDim, kAxis, order), sequence_piece(batch[1], kSequenceDim, kAxis, order),
                   sequence_piece(batch[2], kOfPositionsDim, kAxis, order)};
  });
  program.late_sums.push_back({.axis = kAxis, .of = [](const NamedParameter&) { return true; }});
}

}  // namespace

Transform cp_transform() {
  return {.built = {.name = "cp", .scopes = {"attention"}, .options = {{"all_gather"}, {"ring"}, {"balance"}}},
          .apply = apply_cp};
}

}  // namespace ordercheck::ranks
