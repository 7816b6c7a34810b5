#include "native/transform/sharded_group.h"

#include <algorithm>

#include <ATen/ATen.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/graph_task.h>

#include "native/arith/stock_operators.h"
#include "native/graph/dispatch_mode.h"
#include "native/module/rank.h"
#include "native/transform/on_gradient.h"
#include "native/world/collectives.h"
#include "native/world/current_module.h"

namespace ordercheck::ranks {
namespace {

bool in_backward() { return torch::autograd::get_current_graph_task_id() != -1; }

// Frees or allocates a storage's memory in place, as FSDP2 does. Tensors and views saved by autograd keep pointing to this
// storage and are valid again after the next gather. The version counter does not change. Works on any device: its allocator
// tracks the stream.
void resize_storage(const at::Tensor& tensor, int64_t bytes) {
  c10::StorageImpl& storage = *tensor.storage().unsafeGetStorageImpl();
  storage.set_data_ptr_noswap(storage.allocator()->allocate(static_cast<std::size_t>(bytes)));
  storage.set_nbytes(bytes);
  this_rank().parameters_held.resize(storage_key(tensor), bytes);
}

}  // namespace

void ShardedGroup::attach(const ModulePtr& module, const ShardedGroupOptions& options) {
  std::shared_ptr<ShardedGroup> group(new ShardedGroup);
  group->options_ = options;
  group->name_ = module->plain_path().empty() ? "root" : module->plain_path();
  std::vector<ModulePtr> below{module};
  for (std::size_t i = 0; i < below.size(); ++i) {
    const auto children = below[i]->children();  // a copy: the loop modifies the original
    for (const auto& [name, child] : children) below.push_back(child);
  }
  for (const ModulePtr& owner : below) {
    const auto slots = owner->parameters();  // a copy: adopting modifies the original
    for (const auto& [slot, parameter] : slots) {
      if (!parameter->grouped) group->adopt(owner, slot);
    }
  }
  for (Member& member : group->members_) member.whole.reset();
  if (group->members_.empty()) return;
  for (std::size_t i = 0; i < group->members_.size(); ++i) {
    if (!group->members_[i].is_trained()) continue;
    ++group->trained_;
    // Weak: the group owns the leaf that owns this hook.
    on_gradient(group->members_[i].unsharded->tensor, [g = std::weak_ptr<ShardedGroup>(group), i] {
      if (const auto alive = g.lock()) alive->gradient_arrived(i);
    });
  }
  module->refuses_copy = "FSDP does not support deepcopy: a group of parameters belongs to the module that it was made for";
  module->add_pre_hook(
      [group](Module&, Tensors inputs) {
        break_graph("FSDP gathers parameters by resizing their storage before the forward");
        group->gather();
        return group->cast(std::move(inputs));
      },
      HookPlace::first);
  module->add_post_hook([group](Module&, const Tensors&, at::Tensor output) {
    if (output.requires_grad()) {
      output.register_hook([group](const at::Tensor& gradient) {
        group->before_backward();
        return gradient;
      });
    }
    // A forward inside backward is a recomputation: backward reads these parameters next.
    if (group->options_.free_after_forward && !in_backward()) group->free();
    return output;
  });
}

// Adds the parameter in a slot to the group: puts this rank's shard of it into the slot. A parameter that another axis already
// shards is sharded further.
void ShardedGroup::adopt(const ModulePtr& owner, const std::string& slot) {
  const ParameterPtr whole = owner->parameter(slot);
  const auto shared = std::ranges::find(members_, whole, &Member::whole);
  if (shared != members_.end()) {
    shared->places.push_back({.owner = owner, .slot = slot});
    owner->set_parameter(slot, shared->sharded);
    return;
  }
  const at::Tensor& tensor = whole->tensor;
  const int degree = shards();
  const Span mine = chunk_of(tensor.size(0), degree, coordinate_of(options_.mesh, options_.rank, options_.axis));

  Placements placements = whole->placements;
  if (!options_.replicas.empty()) placements.push_back({.axis = options_.replicas, .kind = Placement::Kind::replicate});
  if (!options_.axis.empty()) placements.push_back({.axis = options_.axis, .kind = Placement::Kind::shard, .dim = 0});
  Member member{
      .places = {{.owner = owner, .slot = slot}},
      .whole = whole,
      .sharded = make_parameter(tensor.detach().narrow(0, mine.start, mine.length).clone(), whole->full_shape, placements,
                                tensor.requires_grad()),
      .unsharded = make_parameter(
          at::empty_like(tensor.detach(),
                         tensor.options().dtype(options_.compute_dtype.value_or(tensor.scalar_type())).requires_grad(false)),
          whole->full_shape, whole->placements, tensor.requires_grad()),
      .padded_rows = (tensor.size(0) + degree - 1) / degree,
      .row_size = tensor.size(0) ? tensor.numel() / tensor.size(0) : 0};
  member.sharded->grouped = member.unsharded->grouped = true;
  member.sharded->on_use = whole->on_use;
  member.unsharded->on_use = whole->on_use;
  resize_storage(member.unsharded->tensor, 0);
  owner->set_parameter(slot, member.sharded);
  members_.push_back(std::move(member));
}

Tensors ShardedGroup::cast(Tensors inputs) const {
  if (!options_.compute_dtype) return inputs;
  for (at::Tensor& input : inputs)
    if (input.is_floating_point()) input = input.to(*options_.compute_dtype);
  return inputs;
}

void ShardedGroup::put(const Member& member, const ParameterPtr& parameter) {
  for (const Place& place : member.places)
    if (const ModulePtr owner = place.owner.lock()) owner->set_parameter(place.slot, parameter);
}

int ShardedGroup::shards() const { return degree_of(options_.mesh, options_.axis); }

int64_t ShardedGroup::transit_size() const {
  int64_t size = 0;
  for (const Member& member : members_) size += member.padded_rows * member.row_size;
  return size;
}

int64_t ShardedGroup::reduced_size() const {
  int64_t size = 0;
  for (const Member& member : members_)
    if (member.is_trained()) size += member.padded_rows * member.row_size;
  return size;
}

// Returns the input of the all-gather: this rank's shards, each padded at its end to the length of the longest rank's shard.
at::Tensor ShardedGroup::in_transit() const {
  at::Tensor out = at::zeros({transit_size()}, members_[0].sharded->tensor.options().requires_grad(false));
  int64_t offset = 0;
  for (const Member& member : members_) {
    const at::Tensor shard = member.sharded->tensor.detach().reshape({-1});
    out.narrow(0, offset, shard.numel()).copy_(shard);
    offset += member.padded_rows * member.row_size;
  }
  return options_.compute_dtype ? out.to(*options_.compute_dtype) : out;
}

void ShardedGroup::gather() {
  if (gathered_) return;
  const BlameScope blame(name_);
  const at::NoGradGuard no_grad;
  const int degree = shards();
  const at::Tensor all = all_gather(in_transit(), 0, options_.axis).view({degree, transit_size()});
  int64_t offset = 0;
  for (Member& member : members_) {
    const int64_t length = member.padded_rows * member.row_size;
    const at::Tensor& leaf = member.unsharded->tensor;
    const at::Tensor rows = all.narrow(1, offset, length).reshape({-1}).narrow(0, 0, leaf.numel());
    resize_storage(leaf, static_cast<int64_t>(leaf.nbytes()));
    {
      // Copy unseen, so that the leaf's version does not change: tensors saved by autograd stay valid.
      const StockOperators unseen;
      leaf.copy_(rows.view(leaf.sizes()));
    }
    put(member, member.unsharded);
    offset += length;
  }
  gathered_ = true;
}

void ShardedGroup::free() {
  if (!gathered_) return;
  for (Member& member : members_) {
    resize_storage(member.unsharded->tensor, 0);
    put(member, member.sharded);
  }
  gathered_ = false;
}

void ShardedGroup::before_backward() {
  gather();
  const int task = torch::autograd::get_current_graph_task_id();
  if (backward_task_ == task) return;  // a group called twice gets here twice
  backward_task_ = task;
  // At the end of backward, reduce a group of which some parameters got no gradient (unused in forward), and free its memory.
  torch::autograd::Engine::get_default_engine().queue_callback([group = shared_from_this()] {
    if (group->arrived_ > 0) group->reduce_gradients();
    group->free();
    group->backward_task_ = -1;
  });
}

void ShardedGroup::gradient_arrived(std::size_t member) {
  members_[member].has_gradient = true;
  if (++arrived_ == trained_) {
    reduce_gradients();
    free();
  }
}

void ShardedGroup::reduce_gradients() {
  const BlameScope blame(name_);
  const at::NoGradGuard no_grad;
  const int degree = shards();
  const at::Tensor in = at::zeros({degree, reduced_size()}, members_[0].sharded->tensor.options().requires_grad(false));
  int64_t offset = 0;
  for (const Member& member : members_) {
    if (!member.is_trained()) continue;
    const int64_t length = member.padded_rows * member.row_size;
    if (member.has_gradient) {
      const at::Tensor gradient = member.unsharded->tensor.grad().reshape({-1}).to(in.scalar_type());
      const at::Tensor padded = at::zeros({degree * length}, gradient.options());
      padded.narrow(0, 0, gradient.numel()).copy_(gradient);
      in.narrow(1, offset, length).copy_(padded.view({degree, length}));
    }
    offset += length;
  }
  at::Tensor mine = reduce_scatter(in.view({-1}), 0, options_.axis);
  if (!options_.replicas.empty()) mine = all_reduce(mine, options_.replicas);
  offset = 0;
  for (Member& member : members_) {
    if (!member.is_trained()) continue;
    const int64_t length = member.padded_rows * member.row_size;
    if (member.has_gradient) {
      at::Tensor& leaf = member.sharded->tensor;
      const at::Tensor piece = mine.narrow(0, offset, leaf.numel()).view(leaf.sizes());
      if (leaf.grad().defined()) {
        leaf.mutable_grad().add_(piece);
      } else {
        leaf.mutable_grad() = piece.clone();
      }
      call_on_gradient(leaf);
    }
    // Otherwise the next backward adds to it, and reduces the old part again.
    member.unsharded->tensor.mutable_grad().reset();
    member.has_gradient = false;
    offset += length;
  }
  arrived_ = 0;
}

}  // namespace ordercheck::ranks
