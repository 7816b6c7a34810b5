#include "native/transform/parametrization.h"

#include <map>
#include <stdexcept>

#include <ATen/ATen.h>
#include <fmt/ranges.h>
#include <torch/csrc/autograd/custom_function.h>

#include "base/text.h"
#include "native/graph/sharding_collectives.h"
#include "native/module/rank.h"
#include "native/transform/distributed_experts.h"
#include "native/world/collectives.h"
#include "native/world/current_module.h"

namespace ordercheck::ranks {
namespace {

constexpr const char* kStages = "pp";
constexpr int64_t kHidden = 1;  // of the experts' weights, [experts, rows, columns]

// How forward reads one parameter that is sharded this way.
struct Read {
  ParametrizationOptions options;
  std::string bucket;
  int64_t dim = 0;     // dim that is sharded
  int64_t length = 0;  // size of that dim in the full parameter

  int64_t ranks() const { return degree_of(options.mesh, options.shards); }
  // Size of that dim in the padded piece that every rank sends.
  int64_t sent() const { return (length + ranks() - 1) / ranks(); }
  bool pads() const { return length % ranks() != 0; }
};

// Counts a casted, padded or gathered copy as parameter memory. A graph replay counts the results of these operators alike.
at::Tensor held(const at::Tensor& made) {
  hold_as_parameter(made);
  return made;
}

// Pads this rank's piece at its end to the size that all ranks send.
at::Tensor padded(const at::Tensor& piece, const Read& read) {
  std::vector<int64_t> pads(2 * static_cast<std::size_t>(piece.dim()), 0);  // from the last dim to the first: front, end
  pads.back() = read.sent() - piece.size(0);
  return at::constant_pad_nd(piece, pads, 0);
}

// All-gathers the pieces along dim 0 without removing the padding. A single autograd node, so that backward reduce-scatters a
// gradient before it all-reduces it over replicas, and casts before or after the right collective.
struct Gather : torch::autograd::Function<Gather> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& piece, const Read& read) {
    context->saved_data["rows"] = piece.size(0);
    context->saved_data["dtype"] = piece.scalar_type();
    context->saved_data["pads"] = read.pads();
    context->saved_data["shards"] = read.options.shards;
    context->saved_data["replicas"] = read.options.replicas;
    context->saved_data["module"] = blamed_module(this_rank());
    const at::Tensor sent = read.options.compute_dtype ? held(piece.to(*read.options.compute_dtype)) : piece;
    return held(all_gather(read.pads() ? held(padded(sent, read)) : sent, 0, read.options.shards));
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto text = [&](const char* name) { return context->saved_data[name].toStringRef(); };
    const BlameScope blame(text("module"));
    at::Tensor mine = reduce_scatter(gradients[0].to(context->saved_data["dtype"].toScalarType()), 0, text("shards"));
    if (context->saved_data["pads"].toBool()) mine = mine.slice(0, 0, context->saved_data["rows"].toInt()).contiguous();
    const std::string replicas = text("replicas");
    if (!replicas.empty()) mine = all_reduce(mine, replicas);
    return {std::move(mine), at::Tensor()};
  }
};

at::Tensor whole_of(const at::Tensor& piece, const Read& read) {
  const std::string& replicas = read.options.replicas;
  if (read.ranks() == 1) {
    const at::Tensor value = replicas.empty() ? piece : copy_to_group(piece, replicas);
    return read.options.compute_dtype ? value.to(*read.options.compute_dtype) : value;
  }
  const UnshardScope scope(read.options.policy, read.bucket);
  at::Tensor value = read.dim == 0 ? piece : held(piece.movedim(read.dim, 0).contiguous());
  value = Gather::apply(value, read);
  if (read.pads()) value = value.slice(0, 0, read.length);
  if (read.dim != 0) value = held(value.movedim(0, read.dim).contiguous());
  return value;
}

void refuse_if_placed_over(const Parameter& parameter, const std::string& axis) {
  if (axis.empty() || !is_placed_over(parameter.placements, axis)) return;
  throw std::runtime_error(
      fmt::format("Cannot distribute over axis '{}' a parameter of full shape [{}] that is already placed over it ({})", axis,
                  fmt::join(parameter.full_shape, ", "), print(parameter.placements)));
}

// Returns the parameter that replaces `whole`, with a new leaf. An optimizer that bound the old one keeps a parameter that the
// model no longer uses.
ParameterPtr parametrized(const Parameter& whole, const ParametrizationOptions& options, int64_t dim,
                          const std::string& bucket) {
  for (const std::string& axis : {options.replicas, options.shards}) refuse_if_placed_over(whole, axis);
  Placements placements = whole.placements;
  at::Tensor piece = whole.tensor.detach();
  Read read{.options = options, .bucket = bucket, .dim = dim};
  if (!options.replicas.empty()) placements.push_back({.axis = options.replicas, .kind = Placement::Kind::replicate});
  if (!options.shards.empty()) {
    if (piece.dim() <= dim)
      throw std::runtime_error(
          fmt::format("Cannot shard along dim {} over axis '{}' a parameter of {} dims", dim, options.shards, piece.dim()));
    read.length = piece.size(dim);
    const Span mine = chunk_of(read.length, degree_of(options.mesh, options.shards),
                               coordinate_of(options.mesh, options.rank, options.shards));
    piece = piece.narrow(dim, mine.start, mine.length);
    placements.push_back({.axis = options.shards, .kind = Placement::Kind::shard, .dim = dim});
  }
  auto parameter = make_parameter(piece.clone(), whole.full_shape, placements, whole.tensor.requires_grad());
  parameter->on_use.push_back([read](const at::Tensor& leaf) { return whole_of(leaf, read); });
  parameter->on_use.insert(parameter->on_use.end(), whole.on_use.begin(), whole.on_use.end());
  return parameter;
}

// Adds a note to the record that lists the modules in no bucket: their parameters are gathered one by one, and a forgotten name
// is easily overlooked.
void tell_what_is_left_out(const BucketPlan& plan, const ModulePtr& model) {
  if (const auto left_out = plan.left_out(model); !left_out.empty())
    this_rank().notes.push_back(fmt::format("bucket_modules: in no bucket: {}", fmt::join(left_out, ", ")));
}

// Returns the dim of an expert weight to shard over edp: the expert dim, if every rank of edp gets at least one expert.
int64_t dim_of_experts(const Module& experts, const Mesh& mesh) {
  const int64_t count = experts.parameters().front().second->full_shape[0];
  return degree_of(mesh, kSameExperts) * int64_t{mesh.ep} > count ? kHidden : 0;
}

}  // namespace

void parametrize(const ModulePtr& model, const ParametrizationOptions& options) {
  std::map<const Parameter*, ParameterPtr> made;
  for (const ModulePtr& module : modules_of(model)) {
    const bool has_experts = !options.shards.empty() && holds_distributed_experts(*module);
    ParametrizationOptions of_module = options;
    if (has_experts) of_module.shards = kSameExperts;
    const int64_t dim = has_experts ? dim_of_experts(*module, options.mesh) : 0;
    const auto slots = module->parameters();  // a copy: the loop modifies the original
    for (const auto& [slot, whole] : slots) {
      if (contains(whole->full_shape, int64_t{0})) continue;
      ParameterPtr& parameter = made[whole.get()];
      if (!parameter) parameter = parametrized(*whole, of_module, dim, options.buckets.bucket_of(module->plain_path()));
      module->set_parameter(slot, parameter);
    }
  }
}

void parametrize_as_item_says(const std::vector<ModulePtr>& parts, const Item& item, ParametrizationOptions options) {
  const std::string reshard = option_of(item, "reshard").value_or("default");
  const bool again = reshard == "always" || (reshard == "default" && degree_of(options.mesh, kStages) == 1);
  if (const auto dtype = option_of(item, "mp")) options.compute_dtype = *dtype == "fp16" ? at::kHalf : at::kBFloat16;
  options.policy = again ? CheckpointPolicy::must_recompute : CheckpointPolicy::must_save;
  for (const ModulePtr& model : parts) {
    options.buckets = BucketPlan::as_item_says(model, item, degree_of(options.mesh, kStages) > 1);
    if (option_of(item, "bucket_modules")) tell_what_is_left_out(options.buckets, model);
    parametrize(model, options);
  }
}

}  // namespace ordercheck::ranks
