#include <torch/csrc/autograd/custom_function.h>

#include "native/world/collectives.h"
#include "native/world/current_module.h"

namespace ordercheck::ranks {
namespace {

using Collective = at::Tensor (*)(const at::Tensor&, int64_t, const std::string&);

at::Tensor unchanged(const at::Tensor& input, int64_t, const std::string&) { return input.view_as(input); }
at::Tensor summed(const at::Tensor& input, int64_t, const std::string& group) { return all_reduce(input, group); }

// An autograd function that runs one collective in forward and another on the gradient in backward. Both are reported for the
// module whose forward called it.
template <Collective kForward, Collective kBackward>
struct CollectivePair : torch::autograd::Function<CollectivePair<kForward, kBackward>> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& input, int64_t dim,
                            const std::string& group) {
    context->saved_data["dim"] = dim;
    context->saved_data["group"] = group;
    context->saved_data["module"] = blamed_module(this_rank());
    return kForward(input, dim, group);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const BlameScope blame(context->saved_data["module"].toStringRef());
    at::Tensor gradient =
        kBackward(gradients[0], context->saved_data["dim"].toInt(), context->saved_data["group"].toStringRef());
    return {std::move(gradient), at::Tensor(), at::Tensor()};
  }
};

struct RowExchange : torch::autograd::Function<RowExchange> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& input,
                            const std::vector<int64_t>& output_rows, const std::vector<int64_t>& input_rows,
                            const std::string& group) {
    context->saved_data["output_rows"] = output_rows;
    context->saved_data["input_rows"] = input_rows;
    context->saved_data["group"] = group;
    context->saved_data["module"] = blamed_module(this_rank());
    return all_to_all(input, output_rows, input_rows, group);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const BlameScope blame(context->saved_data["module"].toStringRef());
    at::Tensor gradient =
        all_to_all(gradients[0], context->saved_data["input_rows"].toIntVector(),
                   context->saved_data["output_rows"].toIntVector(), context->saved_data["group"].toStringRef());
    return {std::move(gradient), at::Tensor(), at::Tensor(), at::Tensor()};
  }
};

}  // namespace

at::Tensor exchange_rows(const at::Tensor& input, std::vector<int64_t> output_rows, std::vector<int64_t> input_rows,
                         const std::string& group) {
  if (group_size(group) == 1) return input;
  return RowExchange::apply(input, output_rows, input_rows, group);
}

at::Tensor copy_to_group(const at::Tensor& input, const std::string& group) {
  if (group_size(group) == 1) return input;
  return CollectivePair<unchanged, summed>::apply(input, 0, group);
}

at::Tensor reduce_from_group(const at::Tensor& input, const std::string& group) {
  if (group_size(group) == 1) return input;
  return CollectivePair<summed, unchanged>::apply(input, 0, group);
}

at::Tensor gather_from_group(const at::Tensor& input, int64_t dim, const std::string& group) {
  if (group_size(group) == 1) return input;
  return CollectivePair<all_gather, reduce_scatter>::apply(input, dim, group);
}

at::Tensor scatter_to_group(const at::Tensor& input, int64_t dim, const std::string& group) {
  if (group_size(group) == 1) return input;
  return CollectivePair<reduce_scatter, all_gather>::apply(input, dim, group);
}

}  // namespace ordercheck::ranks
