// A group of parameters that is kept in shards over a mesh axis, gathered for the time of use and reduced back to shards
// when their gradients are complete: the mechanism of FSDP2's parameter group.
//
//   slot of the module   holds the sharded leaf outside use, the unsharded leaf during use
//   unsharded leaf       one tensor for the life of the group, its storage freed (resized to 0) between uses, so that
//                        what autograd saved of it is there again after the next gather
//   sharded leaf         what the optimizer sees; its gradient is this rank's shard of the sum
//
// A parameter that several slots of the group share is one member, as FSDP2's shared_modules make it. Slots that other groups have
// share it no longer. What is frozen is gathered with the others, and has no part in what is reduced.
//
// One all-gather a gather and one reduce-scatter a backward, over all parameters of the group; shards are chunks of dim 0
// in torch.chunk's sense, padded in transit. Gradients are summed, not averaged. With a second axis the shards are replicated
// over it, and what was reduced to shards is summed over it (HSDP); without the first, the parameters stay whole and their
// gradients are summed alone (the composable replicate). A parameter that is placed on other axes already is sharded on top of
// them.
//
// One rank; hooks run on its thread. After FSDP2's behaviour under recomputation (pytorch PR 164009): a forward that runs
// inside backward does not free.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ranks/module/module.h"
#include "stack/mesh.h"

namespace ordercheck::ranks {

struct ShardedGroupOptions {
  std::string axis = "dp_shard";  // "" shards over none
  std::string replicas = {};      // the axis of replicas; "" for none
  Mesh mesh;
  int rank = 0;
  bool free_after_forward = true;
  // Parameters are gathered in this dtype, and the module's inputs are cast to it, as a MixedPrecisionPolicy's param_dtype does.
  std::optional<at::ScalarType> compute_dtype = {};
};

class ShardedGroup : public std::enable_shared_from_this<ShardedGroup> {
 public:
  // Shards every parameter of `module` and below that no other group has charge of, and hooks the module's call.
  // Nothing happens when there is none.
  static void attach(const ModulePtr& module, const ShardedGroupOptions& options);

 private:
  struct Place {
    std::weak_ptr<Module> owner;  // gone where a pipeline's cut has removed it
    std::string slot;
  };
  struct Member {
    std::vector<Place> places;  // the slots that share the parameter
    ParameterPtr whole;         // what they held before, until all slots are found
    ParameterPtr sharded;
    ParameterPtr unsharded;
    int64_t padded_rows;  // rows of a chunk in transit
    int64_t row_size;     // elements of a row
    bool has_gradient = false;
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
  std::string name_;  // the module it was attached to, for blame; "root" for the root
  std::vector<Member> members_;
  bool gathered_ = false;
  int backward_task_ = -1;   // the graph task whose end this group waits for
  std::size_t trained_ = 0;  // members that are
  std::size_t arrived_ = 0;
};

}  // namespace ordercheck::ranks
