#include "native/world/collectives.h"

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <fmt/format.h>

#include "base/text.h"
#include "native/module/rank.h"

namespace ordercheck::ranks {
namespace {

using Stack = torch::jit::Stack;

c10::OperatorHandle functional(const char* name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow((std::string("_c10d_functional::") + name).c_str(), "");
}

// Boxed, because the C++ signatures of these operators differ between LibTorch versions.
at::Tensor call(const c10::OperatorHandle& op, Stack arguments) {
  static const c10::OperatorHandle wait_tensor = functional("wait_tensor");
  op.callBoxed(arguments);
  wait_tensor.callBoxed(arguments);  // takes op's result from the stack
  return arguments.front().toTensor();
}

void require_no_gradient(const char* name, const char* instead, const at::Tensor& input) {
  TORCH_CHECK(!at::GradMode::is_enabled() || !input.requires_grad(), name, " on a tensor that requires a gradient would ",
              "lose it: use ", instead, ", or hand in a detached tensor");
}

int64_t wrapped_dim(const char* name, const at::Tensor& input, int64_t dim) {
  TORCH_CHECK(input.dim() > 0 && dim >= -input.dim() && dim < input.dim(), name, " along dim ", dim, ": the input has ",
              input.dim(), " dims");
  return dim < 0 ? dim + input.dim() : dim;
}

// Runs a collective that works along dim 0 along `dim`. The result is contiguous, as if built along `dim`.
at::Tensor along_first_dim(const at::Tensor& input, int64_t dim, auto&& operation) {
  if (dim == 0) return operation(input.contiguous());
  return operation(input.movedim(dim, 0).contiguous()).movedim(0, dim).contiguous();
}

// Returns the name under which the process group of these axes is registered: without axes of degree 1.
std::string world_name(const std::string& group) {
  const Mesh& mesh = this_rank().mesh;
  return group.find('+') == std::string::npos ? group : group_name(mesh, split(group, '+'));
}

}  // namespace

int group_size(const std::string& group) {
  const Mesh& mesh = this_rank().mesh;
  return group == "world" ? world_size(mesh) : degree_of(mesh, group);
}

int group_rank(const std::string& group) {
  const RankState& rank = this_rank();
  return group == "world" ? rank.rank : coordinate_of(rank.mesh, rank.rank, group);
}

at::Tensor all_reduce(const at::Tensor& input, const std::string& group, Reduction reduction) {
  require_no_gradient("all_reduce", "copy_to_group or reduce_from_group", input);
  if (group_size(group) == 1) return input;
  static const c10::OperatorHandle op = functional("all_reduce");
  return call(op, {input, reduction == Reduction::sum ? "sum" : "max", world_name(group)});
}

at::Tensor all_gather(const at::Tensor& input, int64_t dim, const std::string& group) {
  require_no_gradient("all_gather", "gather_from_group", input);
  const int64_t size = group_size(group);
  if (size == 1) return input;
  static const c10::OperatorHandle op = functional("all_gather_into_tensor");
  return along_first_dim(input, wrapped_dim("all_gather", input, dim),
                         [&](const at::Tensor& part) { return call(op, {part, size, world_name(group)}); });
}

at::Tensor reduce_scatter(const at::Tensor& input, int64_t dim, const std::string& group) {
  require_no_gradient("reduce_scatter", "scatter_to_group", input);
  const int64_t size = group_size(group);
  if (size == 1) return input;
  dim = wrapped_dim("reduce_scatter", input, dim);
  TORCH_CHECK(input.size(dim) % size == 0, "reduce_scatter of ", input.sizes(), " along dim ", dim, " on ", group,
              ": the dim is not divisible by the group's ", size, " ranks");
  static const c10::OperatorHandle op = functional("reduce_scatter_tensor");
  return along_first_dim(input, dim,
                         [&](const at::Tensor& whole) { return call(op, {whole, "sum", size, world_name(group)}); });
}

at::Tensor broadcast(const at::Tensor& input, int source, const std::string& group) {
  require_no_gradient("broadcast", "copy_to_group", input);
  if (group_size(group) == 1) return input;
  static const c10::OperatorHandle op = functional("broadcast");
  return call(op, {input, static_cast<int64_t>(source), world_name(group)});
}

at::Tensor all_to_all(const at::Tensor& input, at::IntArrayRef output_rows, at::IntArrayRef input_rows,
                      const std::string& group) {
  require_no_gradient("all_to_all", "a function that sends its gradient back", input);
  if (group_size(group) == 1) return input;
  static const c10::OperatorHandle op = functional("all_to_all_single");
  return call(op, {input.contiguous(), output_rows, input_rows, world_name(group)});
}

}  // namespace ordercheck::ranks
