#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/distributed/c10d/GroupRegistry.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/library.h>

#include "native/world/collectives.h"

namespace ordercheck::ranks {
namespace {

// Not every supported LibTorch has functional point-to-point operators, so we define our own.
void send_kernel(const at::Tensor& input, int64_t peer, int64_t tag, const std::string& group) {
  std::vector<at::Tensor> tensors{input.contiguous()};
  c10d::resolve_process_group(group)->send(tensors, static_cast<int>(peer), static_cast<int>(tag))->wait();
}

at::Tensor recv_kernel(at::IntArrayRef sizes, at::ScalarType dtype, at::Device device, int64_t peer, int64_t tag,
                       const std::string& group) {
  std::vector<at::Tensor> tensors{at::empty(sizes, at::TensorOptions().dtype(dtype).device(device))};
  c10d::resolve_process_group(group)->recv(tensors, static_cast<int>(peer), static_cast<int>(tag))->wait();
  return tensors[0];
}

TORCH_LIBRARY_FRAGMENT(ordercheck, library) {
  library.def("send(Tensor input, int peer, int tag, str group) -> ()");
  library.def("recv(int[] sizes, ScalarType dtype, Device device, int peer, int tag, str group) -> Tensor");
}
TORCH_LIBRARY_IMPL(ordercheck, CompositeExplicitAutograd, library) {
  library.impl("send", send_kernel);
  library.impl("recv", recv_kernel);
}

c10::OperatorHandle own(const char* name) { return c10::Dispatcher::singleton().findSchemaOrThrow(name, ""); }

void require_peer(const char* verb, int peer, const std::string& group) {
  TORCH_CHECK(peer >= 0 && peer < group_size(group) && peer != group_rank(group), verb, " group rank ", peer, " on ", group,
              ": expected another rank of the group's ", group_size(group));
}

}  // namespace

void send(const at::Tensor& input, int peer, int tag, const std::string& group) {
  require_peer("send to", peer, group);
  static const auto op = own("ordercheck::send").typed<void(const at::Tensor&, int64_t, int64_t, const std::string&)>();
  const at::NoGradGuard no_gradient;  // a message carries no autograd graph
  op.call(input, peer, tag, group);
}

c10::intrusive_ptr<c10d::Work> send_later(const at::Tensor& input, int peer, int tag, const std::string& group) {
  require_peer("send to", peer, group);
  std::vector<at::Tensor> tensors{input.detach().contiguous()};
  return c10d::resolve_process_group(group)->send(tensors, peer, tag);
}

at::Tensor recv(at::IntArrayRef sizes, at::TensorOptions options, int peer, int tag, const std::string& group) {
  require_peer("receive from", peer, group);
  static const auto op =
      own("ordercheck::recv")
          .typed<at::Tensor(at::IntArrayRef, at::ScalarType, at::Device, int64_t, int64_t, const std::string&)>();
  return op.call(sizes, at::typeMetaToScalarType(options.dtype()), options.device(), peer, tag, group);
}

}  // namespace ordercheck::ranks
