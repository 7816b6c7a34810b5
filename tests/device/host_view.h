// Tensors of the fake device as its kernels see them: CPU tensors on the same bytes. For one call of a kernel.
#pragma once

#include <map>
#include <vector>

#include <ATen/core/Tensor.h>

#include "device/fake_streams.h"

namespace ordercheck::ranks::fake {

class HostViews {
 public:
  // The same for each of a call's arguments that is the same tensor. A CPU tensor stays what it is: a number, or indices; any other among
  // tensors of the device throws, as on CUDA, where `may_be_on_host` does not allow it.
  at::Tensor of(const at::Tensor& tensor, bool written);

  // Of what the kernel returned: the device's own tensor for a view, a copy on the device for what the kernel made.
  // Throws for another tensor on a view's bytes: an operator that makes views must be one of the device.
  at::Tensor on_device(const at::Tensor& returned, const char* op) const;

  // What the kernel made larger than the memory that it was handed.
  void take_back_resized() const;

  const std::vector<Uses*>& reads() const { return reads_; }
  const std::vector<Uses*>& writes() const { return writes_; }
  bool any() const { return !views_.empty(); }

 private:
  struct View {
    at::Tensor device, host;
    const void* bytes;  // when it was made
    bool written;
  };
  std::map<const c10::TensorImpl*, View> views_;  // by the device's
  std::vector<Uses*> reads_, writes_;
};

// A new tensor of the device with the values of `host`, as it lies. A launch.
at::Tensor copied_to_device(const at::Tensor& host, const char* kernel);

}  // namespace ordercheck::ranks::fake
