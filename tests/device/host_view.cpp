#include "device/host_view.h"

#include <ATen/EmptyTensor.h>
#include <ATen/ops/copy_native.h>
#include <c10/core/CPUAllocator.h>

#include "device/fake_guard.h"
#include "device/fake_memory.h"

namespace ordercheck::ranks::fake {
namespace {

at::Tensor view_of(const at::Tensor& tensor) {
  const c10::StorageImpl& storage = *tensor.storage().unsafeGetStorageImpl();
  const void* address = storage.data();
  c10::DataPtr memory(address ? bytes_at(address) : nullptr, at::kCPU);
  // A kernel may ask for more of what it writes: it gets host memory, whose values are taken back.
  at::Tensor view =
      at::detail::make_tensor<c10::TensorImpl>(c10::Storage(c10::Storage::use_byte_size_t(), storage.nbytes(),
                                                            std::move(memory), c10::GetCPUAllocator(), /*resizable=*/true),
                                               c10::DispatchKeySet(c10::DispatchKey::CPU), tensor.dtype());
  view.unsafeGetTensorImpl()->set_sizes_and_strides(tensor.sizes(), tensor.strides(), tensor.storage_offset());
  if (tensor.unsafeGetTensorImpl()->is_wrapped_number()) view.unsafeGetTensorImpl()->set_wrapped_number(true);
  return view;
}

}  // namespace

at::Tensor HostViews::of(const at::Tensor& tensor, bool written) {
  if (!tensor.defined() || tensor.device().type() != kDevice.type()) return tensor;
  if (Block* block = block_of(tensor.storage().data_ptr())) (written ? writes_ : reads_).push_back(&block->uses);
  const auto [at, is_new] = views_.try_emplace(tensor.unsafeGetTensorImpl());
  if (is_new) {
    at->second = {.device = tensor, .host = view_of(tensor), .bytes = nullptr, .written = written};
    at->second.bytes = at->second.host.storage().data();
  }
  at->second.written = at->second.written || written;
  return at->second.host;
}

at::Tensor HostViews::on_device(const at::Tensor& returned, const char* op) const {
  if (!returned.defined()) return returned;
  for (const auto& [impl, view] : views_) {
    if (view.host.is_same(returned)) return view.device;
    TORCH_CHECK(!returned.storage().is_alias_of(view.host.storage()), op,
                " returned a view of its argument, which the fake device has no kernel for");
  }
  return copied_to_device(returned, op);
}

void HostViews::take_back_resized() const {
  for (const auto& [impl, view] : views_) {
    if (!view.written) continue;
    const at::Tensor& host = view.host;
    if (host.sizes() == view.device.sizes() && host.storage().data() == view.bytes) continue;
    const at::Tensor moved = copied_to_device(host, "resize");
    view.device.unsafeGetTensorImpl()->set_storage_keep_dtype(moved.storage());
    view.device.unsafeGetTensorImpl()->set_sizes_and_strides(moved.sizes(), moved.strides(), 0);
  }
}

at::Tensor copied_to_device(const at::Tensor& host, const char* kernel) {
  const at::Tensor made = at::Tensor(at::detail::empty_strided_generic(
      host.sizes(), host.strides(), &allocator(), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1), host.scalar_type()));
  HostViews views;
  at::Tensor bytes = views.of(made, /*written=*/true);
  launch(kernel, views.reads(), views.writes());
  at::native::copy_(bytes, host);
  return made;
}

}  // namespace ordercheck::ranks::fake
