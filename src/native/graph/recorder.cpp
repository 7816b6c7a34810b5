#include "native/graph/recorder.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>

#include <ATen/ATen.h>
#include <ATen/SavedTensorHooks.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>

#include "native/arith/range.h"
#include "native/graph/dispatch_mode.h"
#include "native/graph/sharding_collectives.h"
#include "native/module/rank.h"

namespace ordercheck::ranks {
namespace {

using Stack = torch::jit::Stack;

// How the recorder recognizes a tensor: storage, offset, sizes, strides and dtype. Not by TensorImpl: autograd gives backward
// new TensorImpls for forward's values (detached saved tensors, rebuilt views), and they must map to the same value.
using Identity = std::tuple<const void*, int64_t, std::vector<int64_t>, std::vector<int64_t>, at::ScalarType>;

Identity identity_of(const at::Tensor& tensor) {
  return {tensor.storage().unsafeGetStorageImpl(), tensor.storage_offset(), tensor.sizes().vec(), tensor.strides().vec(),
          tensor.scalar_type()};
}

// Returns a tensor with the shape of a collective's result, because a dry run does not send; nullopt if the operator returns
// nothing.
std::optional<at::Tensor> stand_in_result(const std::string& name, const Stack& arguments) {
  if (name == "ordercheck::send") return std::nullopt;
  if (name == "ordercheck::recv")
    return at::zeros(arguments[0].toIntVector(),
                     at::TensorOptions(arguments[1].toScalarType()).device(arguments[2].toDevice()));
  const at::Tensor& input = arguments[0].toTensor();
  if (name == "_c10d_functional::wait_tensor") return input;
  if (name == "_c10d_functional::all_gather_into_tensor") {
    return at::cat(std::vector<at::Tensor>(arguments[1].toInt(), input));
  }
  if (name == "_c10d_functional::reduce_scatter_tensor") {
    return input.narrow(0, 0, input.size(0) / arguments[2].toInt()).clone();
  }
  if (name == "_c10d_functional::all_reduce" || name == "_c10d_functional::broadcast") return input.clone();
  if (name == "_c10d_functional::all_to_all_single") {
    std::vector<int64_t> sizes = input.sizes().vec();
    const auto rows = arguments[1].toIntVector();
    sizes[0] = std::accumulate(rows.begin(), rows.end(), int64_t{0});
    return input.new_zeros(sizes);
  }
  throw GraphBreak(fmt::format("{} cannot be captured", name));
}

// True for an attention call without dropout: the operator is tagged as random but then draws nothing.
bool drops_nothing(const c10::OperatorHandle& op, const Stack& stack) {
  const auto place = op.schema().argumentIndexWithName("dropout_p");
  return place && stack[stack.size() - op.schema().arguments().size() + *place].toDouble() == 0;
}

// Returns the functional form of an in-place operator: add for add_, same overload.
std::optional<c10::OperatorHandle> functional_of(const c10::OperatorHandle& op) {
  c10::OperatorName name = op.operator_name();
  const auto& arguments = op.schema().arguments();
  const auto writes = [](const c10::Argument& argument) { return argument.alias_info() && argument.alias_info()->isWrite(); };
  if (!name.name.ends_with('_') || !writes(arguments[0])) return std::nullopt;
  if (std::any_of(arguments.begin() + 1, arguments.end(), writes)) return std::nullopt;
  name.name.pop_back();
  auto functional = c10::Dispatcher::singleton().findSchema(name);
  if (!functional || functional->schema().arguments().size() != arguments.size()) return std::nullopt;
  return functional;
}

void refuse(const c10::OperatorHandle& op, const Stack& stack) {
  const std::string& name = op.operator_name().name;
  for (const at::Tag tag : op.getTags()) {
    if (tag == at::Tag::data_dependent_output) throw GraphBreak(fmt::format("{} reads a value", name));
    if (tag == at::Tag::dynamic_output_shape) throw GraphBreak(fmt::format("the shape of {} depends on values", name));
    if (tag == at::Tag::nondeterministic_seeded && !drops_nothing(op, stack))
      throw GraphBreak(fmt::format("{} draws random numbers", name));
  }
}

// Throws GraphBreak for a draw without samples: seeds belong to samples, and while transforms are applied no forward has set
// any.
void refuse_draw_without_samples(const Node& node, const at::Tensor& drawn) {
  if (drawn.numel() > 0) return;
  throw GraphBreak(fmt::format("{} draws random numbers for each sample, and no forward has said which samples it has",
                               node.arguments.front().constant.toStringRef()));
}

class Recorder final : public DispatchMode {
 public:
  explicit Recorder(Graph& graph) : graph_(graph) {}

  // Gives a tensor from outside the region a new value id. A tensor of the same identity loses its old id: detach() returns
  // such a tensor, and later reads mean the new one.
  ValueId define(const at::Tensor& tensor) {
    outside_.insert(tensor.storage().unsafeGetStorageImpl());
    return name(tensor, /*is_view=*/false);
  }

  ValueId name(const at::Tensor& tensor, bool is_view) {
    const ValueId id = static_cast<ValueId>(graph_.values.size());
    graph_.values.push_back({.sizes = tensor.sizes().vec(),
                             .dtype = tensor.scalar_type(),
                             .bytes = static_cast<int64_t>(tensor.nbytes()),
                             .is_view = is_view});
    known_[identity_of(tensor)] = id;
    alive_.push_back(tensor);
    return id;
  }

  bool knows(const at::Tensor& tensor) const { return known_.count(identity_of(tensor)) > 0; }

  ValueId find(const at::Tensor& tensor, const std::string& reader) {
    if (!tensor.defined()) return kNoValue;
    const auto found = known_.find(identity_of(tensor));
    if (found != known_.end()) return found->second;
    // LibTorch wraps a plain number as a tensor without calling an operator: record it as a constant.
    if (tensor.dim() == 0 && tensor.unsafeGetTensorImpl()->is_wrapped_number()) {
      const ValueId id = define(tensor);
      graph_.constants.emplace_back(id, tensor);
      return id;
    }
    throw GraphBreak(fmt::format("{} reads a tensor that is neither input nor parameter of the region", reader));
  }

  void begin_backward() { nodes_ = &graph_.backward; }

  void call(const c10::OperatorHandle& op, Stack& stack) override {
    refuse(op, stack);
    Node node{.op = op.schema().is_mutable() ? functional(op, stack) : op, .arguments = {}, .results = {}};
    const RankState* rank = find_rank();
    node.recomputed = rank && rank->phase() == Phase::recompute;
    if (const UnshardScope* scope = unsharding_now()) {
      node.policy = scope->policy;
      node.unshards = true;
      node.bucket = scope->bucket;
    }
    const std::size_t count = op.schema().arguments().size();
    for (auto argument = stack.end() - static_cast<std::ptrdiff_t>(count); argument != stack.end(); ++argument) {
      node.arguments.push_back(read(*argument, node.name()));
    }
    const std::size_t base = stack.size() - count;
    const bool is_view = !op.schema().is_mutable() &&
                         std::any_of(op.schema().returns().begin(), op.schema().returns().end(),
                                     [](const c10::Argument& returned) { return returned.alias_info() != nullptr; });
    run(op, node, stack, base);
    if (draws(node)) refuse_draw_without_samples(node, stack.back().toTensor());
    if (draws(node) && drawn_before(node, stack.back().toTensor())) return;
    for (std::size_t i = base; i < stack.size(); ++i) node.results.push_back(write(stack[i], node.name(), is_view));
    nodes_->push_back(std::move(node));
  }

 private:
  // True if a recomputed draw gives the numbers of a draw in forward, because the random state was restored: its result then
  // gets the value id of forward's, as with AOTAutograd's functionalized random numbers. With another state the graph draws
  // again.
  bool drawn_before(const Node& node, const at::Tensor& drawn) {
    if (!node.recomputed) {
      drawn_.push_back(drawn);
      return false;
    }
    const auto same = [&](const at::Tensor& before) { return before.numel() == drawn.numel() && at::equal(before, drawn); };
    const auto first = std::ranges::find_if(drawn_, same);
    if (first == drawn_.end()) return false;
    known_[identity_of(drawn)] = known_.at(identity_of(*first));
    alive_.push_back(drawn);
    return true;
  }

  // Returns the functional form under which an in-place operator is recorded; its result takes over the identity of the written
  // tensor. Throws GraphBreak unless that tensor is a result of this region without views: a graph must not write to outside
  // tensors, and a view would keep the old value's id.
  c10::OperatorHandle functional(const c10::OperatorHandle& op, const Stack& stack) const {
    const std::string& name = op.operator_name().name;
    const auto found = functional_of(op);
    if (!found) throw GraphBreak(fmt::format("{} writes to its argument", name));
    const at::Tensor& written = stack[stack.size() - op.schema().arguments().size()].toTensor();
    const void* storage = written.storage().unsafeGetStorageImpl();
    if (!knows(written) || outside_.contains(storage))
      throw GraphBreak(fmt::format("{} writes to a tensor that is no result of the region", name));
    const auto shows = [&](const auto& entry) { return std::get<0>(entry.first) == storage; };
    if (std::count_if(known_.begin(), known_.end(), shows) > 1)
      throw GraphBreak(fmt::format("{} writes to a tensor that has views", name));
    return *found;
  }

  static void run(const c10::OperatorHandle& op, const Node& node, Stack& stack, std::size_t base) {
    if (is_collective(node)) {
      const auto result = stand_in_result(node.name(), Stack(stack.begin() + static_cast<std::ptrdiff_t>(base), stack.end()));
      stack.resize(base);
      if (result) stack.emplace_back(*result);
    } else if (has_effect(node)) {
      stack.resize(base);
    } else {
      op.callBoxed(stack);
    }
  }

  Argument read(const c10::IValue& value, const std::string& reader) {
    if (value.isTensor()) return {.form = Argument::Form::tensor, .values = {find(value.toTensor(), reader)}, .constant = {}};
    if (value.isTensorList()) {
      Argument list{.form = Argument::Form::tensors, .values = {}, .constant = {}};
      for (const at::Tensor& tensor : value.toTensorVector()) list.values.push_back(find(tensor, reader));
      return list;
    }
    const bool may_hold_tensors =
        value.isList() && !value.toListRef().empty() && (value.toListRef()[0].isTensor() || value.toListRef()[0].isNone());
    if (!may_hold_tensors) return {.form = Argument::Form::constant, .values = {}, .constant = value};
    Argument list{.form = Argument::Form::optional_tensors, .values = {}, .constant = {}};
    for (const c10::IValue& element : value.toListRef()) {
      list.values.push_back(element.isNone() ? kNoValue : find(element.toTensor(), reader));
    }
    return list;
  }

  NodeResult write(const c10::IValue& value, const std::string& writer, bool is_view) {
    if (value.isTensor()) {
      const at::Tensor& tensor = value.toTensor();
      return {.is_list = false, .values = {tensor.defined() ? name(tensor, is_view) : kNoValue}};
    }
    if (!value.isTensorList()) throw GraphBreak(fmt::format("{} returns a value that is no tensor", writer));
    NodeResult list{.is_list = true, .values = {}};
    for (const at::Tensor& tensor : value.toTensorVector()) list.values.push_back(name(tensor, is_view));
    return list;
  }

  Graph& graph_;
  std::vector<Node>* nodes_ = &graph_.forward;
  std::map<Identity, ValueId> known_;
  std::vector<at::Tensor> drawn_;  // what forward drew so far
  std::set<const void*> outside_;  // storages of tensors from outside the region
  // All tensors with a value id, kept alive: a freed storage's address could be reused by another tensor, which would then be
  // mistaken for the old one.
  std::vector<at::Tensor> alive_;
};

// During its lifetime, the caller's modes and hooks are off and the rank counts nothing. In a checkpointed region, the caller's
// hooks would replace saved tensors by placeholders, and its modes would return results of the real run from their cache.
class DryRun {
 public:
  DryRun() : hooks_(at::SavedTensorDefaultHooks::get_tls_state()), rank_(find_rank()) {
    at::SavedTensorDefaultHooks::set_tls_state({});
    if (!rank_) return;
    rank_->begin_dry_run();
    kept_before_ = rank_->counters.operators_kept;
    random_before_ = rank_->random;
  }
  ~DryRun() {
    if (rank_) {
      rank_->end_dry_run();
      rank_->counters.operators_kept = kept_before_;
      rank_->random = std::move(random_before_);
    }
    at::SavedTensorDefaultHooks::set_tls_state(hooks_);
  }
  DryRun(const DryRun&) = delete;

  std::int64_t operators_kept() const { return rank_ ? rank_->counters.operators_kept - kept_before_ : 0; }

 private:
  WithoutDispatchModes no_modes_;
  RecordingScope recording_;
  Unmeasured unmeasured_;  // values of a dry run are arbitrary: exact kernels must not check their range
  at::impl::SavedTensorDefaultHooksTLS hooks_;
  RankState* rank_;
  std::int64_t kept_before_ = 0;
  RandomState random_before_;
};

// Returns a tensor with a copy of the storage and the same layout, which clone() does not guarantee.
at::Tensor copied_storage(const at::Tensor& tensor) {
  const auto elements = static_cast<int64_t>(tensor.storage().nbytes() / tensor.element_size());
  return tensor.as_strided({elements}, {1}, 0).clone().as_strided(tensor.sizes(), tensor.strides(), tensor.storage_offset());
}

// Returns a new leaf that stands for an input of the region, so that the dry run's backward stops there.
at::Tensor stand_in(const at::Tensor& input, const Recorder& recorder) {
  at::Tensor own = input.detach();
  if (recorder.knows(own)) own = copied_storage(own);  // same tensor passed twice: needs two values
  return own.set_requires_grad(input.requires_grad());
}

}  // namespace

GraphPtr record(const std::string& region, const Recorded& computation, const std::vector<at::Tensor>& inputs,
                const std::vector<at::Tensor>& leaves) {
  auto graph = c10::make_intrusive<Graph>();
  graph->region = region;
  graph->leaves = leaves;
  const DryRun dry_run;
  const at::AutoGradMode grad(true);
  auto* recorder = new Recorder(*graph);
  const DispatchModeScope recording(recorder);

  std::vector<at::Tensor> own, sources;
  {
    const WithoutDispatchModes unseen;
    for (const at::Tensor& leaf : leaves) graph->parameters.push_back(recorder->define(leaf));
    for (const at::Tensor& input : inputs) {
      own.push_back(stand_in(input, *recorder));
      graph->inputs.push_back(recorder->define(own.back()));
    }
  }
  const at::Tensor output = computation(own);
  graph->output = recorder->find(output, "the end of the region");

  std::vector<std::size_t> differentiated;  // positions among inputs, then parameters
  std::vector<at::Tensor> all = own;
  all.insert(all.end(), leaves.begin(), leaves.end());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].requires_grad()) continue;
    // A parameter shared by several slots: differentiate by it once, so that one slot gets the whole gradient.
    if (std::any_of(sources.begin(), sources.end(), [&](const at::Tensor& s) { return s.is_same(all[i]); })) continue;
    differentiated.push_back(i);
    sources.push_back(all[i]);
  }
  graph->gradients.assign(all.size(), kNoValue);
  if (!output.requires_grad()) return graph;

  at::Tensor tangent;
  {
    const WithoutDispatchModes unseen;
    tangent = at::ones_like(output, {}, {}, {}, {}, at::MemoryFormat::Contiguous);
    graph->tangent = recorder->define(tangent);
  }
  recorder->begin_backward();
  // Use grad(), not backward(): it must not accumulate into the model's .grad or fire the hooks that reduce it.
  const auto gradients = torch::autograd::grad({output}, sources, {tangent}, /*retain_graph=*/std::nullopt,
                                               /*create_graph=*/false, /*allow_unused=*/true);
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (gradients[i].defined()) graph->gradients[differentiated[i]] = recorder->find(gradients[i], "the end of the backward");
  }
  graph->operators_kept = dry_run.operators_kept();
  return graph;
}

}  // namespace ordercheck::ranks
