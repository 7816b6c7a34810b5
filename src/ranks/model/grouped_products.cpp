#include "ranks/model/grouped_products.h"

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

namespace ordercheck::ranks {
namespace {

std::vector<at::Tensor> by_group(const at::Tensor& rows, const at::Tensor& counts) {
  const at::Tensor of_groups = counts.to(at::kCPU);
  return rows.split_with_sizes(at::IntArrayRef(of_groups.const_data_ptr<int64_t>(), of_groups.numel()), 0);
}

// Of each group: rows times matrix.
at::Tensor products_kernel(const at::Tensor& rows, const at::Tensor& matrices, const at::Tensor& counts) {
  const auto groups = by_group(rows, counts);
  std::vector<at::Tensor> products;
  for (std::size_t i = 0; i < groups.size(); ++i)
    products.push_back(at::mm(groups[i], matrices.select(0, static_cast<int64_t>(i))));
  return at::cat(products, 0);
}

// Of each group: left^T times right.
at::Tensor outer_kernel(const at::Tensor& left, const at::Tensor& right, const at::Tensor& counts) {
  const auto of_left = by_group(left, counts), of_right = by_group(right, counts);
  std::vector<at::Tensor> products;
  for (std::size_t i = 0; i < of_left.size(); ++i) products.push_back(at::mm(of_left[i].t(), of_right[i]));
  return at::stack(products);
}

TORCH_LIBRARY_FRAGMENT(ordercheck, library) {
  library.def("grouped_mm(Tensor rows, Tensor matrices, Tensor counts) -> Tensor");
  library.def("grouped_outer(Tensor left, Tensor right, Tensor counts) -> Tensor");
}
TORCH_LIBRARY_IMPL(ordercheck, CompositeExplicitAutograd, library) {
  library.impl("grouped_mm", products_kernel);
  library.impl("grouped_outer", outer_kernel);
}

using Signature = at::Tensor(const at::Tensor&, const at::Tensor&, const at::Tensor&);

at::Tensor call(const char* name, const at::Tensor& a, const at::Tensor& b, const at::Tensor& counts) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<Signature>().call(a, b, counts);
}

struct GroupedProducts : torch::autograd::Function<GroupedProducts> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& rows, const at::Tensor& matrices,
                            const at::Tensor& counts) {
    context->save_for_backward({rows, matrices, counts});
    return call("ordercheck::grouped_mm", rows, matrices.transpose(1, 2), counts);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto saved = context->get_saved_variables();
    return {call("ordercheck::grouped_mm", gradients[0], saved[1], saved[2]),
            call("ordercheck::grouped_outer", gradients[0], saved[0], saved[2]), at::Tensor()};
  }
};

}  // namespace

at::Tensor grouped_products(const at::Tensor& rows, const at::Tensor& matrices, const at::Tensor& counts) {
  return GroupedProducts::apply(rows, matrices, counts);
}

}  // namespace ordercheck::ranks
