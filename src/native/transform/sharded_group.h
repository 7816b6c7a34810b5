// Provides a parameter group like FSDP2's: it shards parameters over a mesh axis, gathers them for use, and reduces complete
// gradients to shards.
//
//   slot of the module   holds the sharded leaf, and the unsharded leaf during use
//   unsharded leaf       one tensor for the life of the group. Its storage is freed (resized to 0) between uses, so that
//                        tensors saved by autograd are valid again after the next gather
//   sharded leaf         the optimizer's parameter; its gradient is this rank's shard of the sum
//
// A parameter shared by several slots of the group is one member, as with FSDP2's shared_modules. Slots of other groups no
// longer share it. Frozen parameters are gathered with the others but not reduced.
//
// One all-gather per gather and one reduce-scatter per backward cover all parameters of the group. Shards are torch.chunk's
// chunks of dim 0, padded for transfer. Gradients are summed, not averaged. With a second axis, shards are replicated and
// reduced shards are all-reduced over it (HSDP). Without the first axis, parameters stay whole and gradients are only
// all-reduced (the composable replicate). A parameter already placed on other axes is sharded on top of them.
//
// Used by one rank; hooks run on its thread. As FSDP2 under activation checkpointing (pytorch PR 164009), a forward that
// backward runs again does not free the parameters.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "native/module/module.h"
#include "stack/mesh.h"

namespace ordercheck::ranks {

struct ShardedGroupOptions {
  std::string axis = "dp_shard";  // mesh axis that shards the parameters; empty: they stay whole
  std::string replicas = {};      // mesh axis over which reduced gradients are then all-reduced; empty if none
  Mesh mesh;
  int rank = 0;
  bool free_after_forward = true;  // else parameters stay gathered until backward (reshard_after_forward=False)
  // Gathers parameters, and casts the module's inputs, in this dtype, like MixedPrecisionPolicy's param_dtype.
  std::optional<at::ScalarType> compute_dtype = {};
};

class ShardedGroup : public std::enable_shared_from_this<ShardedGroup> {
 public:
  // Shards all parameters of `module` and its descendants that are not in a group yet, and hooks the module's call to gather
  // and free them. Does nothing if there are none.
  static void attach(const ModulePtr& module, const ShardedGroupOptions& options);

 private:
  struct Place {
    std::weak_ptr<Module> owner;  // module whose slot holds the parameter; expired if a pipeline's cut removed it
    std::string slot;
  };
  struct Member {
    std::vector<Place> places;  // the slots that share the parameter
    ParameterPtr whole;         // the parameter before sharding, to find its other slots; reset at the end of attach()
    ParameterPtr sharded;
    ParameterPtr unsharded;
    int64_t padded_rows;        // rows of this rank's shard as sent, padded to those of the longest shard
    int64_t row_size;           // elements per row (dim 0) of the parameter
    bool has_gradient = false;  // backward has accumulated into the unsharded leaf since the last reduction
    bool is_trained() const { return unsharded->tensor.requires_grad(); }
  };
  ShardedGroup() = default;
  void adopt(const ModulePtr& owner, const std::string& slot);
  static void put(const Member& member, const ParameterPtr& parameter);
  int shards() const;
  Tensors cast(Tensors inputs) const;
  at::Tensor in_transit() const;
  void gather();
  void free();
  void before_backward();
  void gradient_arrived(std::size_t member);
  void reduce_gradients();
  int64_t transit_size() const;
  int64_t reduced_size() const;

  ShardedGroupOptions options_;
  std::string name_;  // module path that its collectives are charged to; "root" for the root
  std::vector<Member> members_;
  bool gathered_ = false;
  int backward_task_ = -1;   // autograd graph task that calls the group's final callback; -1 if none is queued
  std::size_t trained_ = 0;  // number of members that require grad
  std::size_t arrived_ = 0;  // number of gradients since the last reduction; at trained_ they are reduced
};

}  // namespace ordercheck::ranks
