#include "device/fake_kernels.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <ATen/EmptyTensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/native/transformers/attention.h>
#include <ATen/native/transformers/sdp_utils_cpp.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/copy_native.h>
#include <ATen/ops/set_native.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_native.h>
#include <torch/library.h>

#include "device/fake_guard.h"
#include "device/fake_memory.h"
#include "device/host_view.h"

namespace ordercheck::ranks::fake {
namespace {

using at::Tensor;
using torch::jit::Stack;

constexpr std::string_view kAten = "aten::";
constexpr c10::DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);

void wait_for_stream() { wait_on_host(now_on(current_stream())); }

Tensor empty(c10::SymIntArrayRef size, std::optional<at::ScalarType> dtype, std::optional<at::Layout>,
             std::optional<at::Device>, std::optional<bool>, std::optional<at::MemoryFormat> format) {
  return at::detail::empty_generic(C10_AS_INTARRAYREF_SLOW(size), &allocator(), kKeys, c10::dtype_or_default(dtype), format);
}

Tensor empty_strided(c10::SymIntArrayRef size, c10::SymIntArrayRef stride, std::optional<at::ScalarType> dtype,
                     std::optional<at::Layout>, std::optional<at::Device>, std::optional<bool>) {
  return at::detail::empty_strided_generic(C10_AS_INTARRAYREF_SLOW(size), C10_AS_INTARRAYREF_SLOW(stride), &allocator(), kKeys,
                                           c10::dtype_or_default(dtype));
}

Tensor as_strided(const Tensor& self, c10::SymIntArrayRef size, c10::SymIntArrayRef stride, std::optional<c10::SymInt> offset) {
  return at::native::as_strided_tensorimpl(self, C10_AS_INTARRAYREF_SLOW(size), C10_AS_INTARRAYREF_SLOW(stride),
                                           offset ? std::optional(offset->guard_int(__FILE__, __LINE__)) : std::nullopt);
}

Tensor view(const Tensor& self, c10::SymIntArrayRef size) { return at::native::view(self, C10_AS_INTARRAYREF_SLOW(size)); }

Tensor reshape_alias(const Tensor& self, c10::SymIntArrayRef size, c10::SymIntArrayRef stride) {
  return at::native::_reshape_alias(self, C10_AS_INTARRAYREF_SLOW(size), C10_AS_INTARRAYREF_SLOW(stride));
}

const Tensor& resize(const Tensor& self, c10::SymIntArrayRef symbolic, std::optional<at::MemoryFormat> format) {
  const at::IntArrayRef size = C10_AS_INTARRAYREF_SLOW(symbolic);
  TORCH_CHECK(!format || *format == at::MemoryFormat::Contiguous, "the fake device resizes to contiguous tensors only");
  const auto bytes = at::detail::computeStorageNbytesContiguous(size, self.dtype().itemsize(), self.storage_offset());
  if (self.storage().nbytes() < bytes) {
    const Tensor larger =
        at::detail::empty_generic({static_cast<int64_t>(bytes)}, &allocator(), kKeys, at::kByte, std::nullopt);
    const Tensor before = at::detail::make_tensor<c10::TensorImpl>(c10::Storage(self.storage()), kKeys, larger.dtype());
    before.unsafeGetTensorImpl()->set_sizes_contiguous({static_cast<int64_t>(self.storage().nbytes())});
    HostViews views;
    const Tensor from = views.of(before, false), to = views.of(larger, true);
    launch("aten::resize_", views.reads(), views.writes());
    at::native::copy_(const_cast<Tensor&>(static_cast<const Tensor&>(to.narrow(0, 0, from.numel()))), from);
    self.storage().set_data_ptr_noswap(std::move(const_cast<c10::DataPtr&>(larger.storage().data_ptr())));
    self.storage().set_nbytes(bytes);
  }
  self.unsafeGetTensorImpl()->set_sizes_contiguous(size);
  return self;  // NOLINT(bugprone-return-const-ref-from-parameter): as the operator's signature has it
}

// Between the host and the device, and on the device. The host waits for what it reads.
Tensor copy_from(const Tensor& from, const Tensor& to, bool non_blocking) {
  HostViews views;
  const Tensor source = views.of(from, false);
  Tensor target = views.of(to, true);
  launch("aten::copy_", views.reads(), views.writes());
  target.copy_(source);
  if (!to.is_privateuseone()) {
    TORCH_CHECK(!non_blocking, "a copy to the host that does not wait is not ordered before its use");
    wait_for_stream();
  }
  return to;
}

Tensor copy_from_and_resize(const Tensor& from, const Tensor& to) {
  to.resize_(from.sizes());
  return copy_from(from, to, false);
}

void record_stream(Tensor& self, c10::Stream stream) {
  if (Block* block = block_of(self.storage().data_ptr())) record(block->uses, static_cast<StreamIndex>(stream.id()));
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): the operator's signature takes values
Tensor& set_storage(Tensor& self, at::Storage source, c10::SymInt offset, c10::SymIntArrayRef size,
                    c10::SymIntArrayRef stride) {
  self.unsafeGetTensorImpl()->set_storage_keep_dtype(std::move(source));
  self.unsafeGetTensorImpl()->set_sizes_and_strides(C10_AS_INTARRAYREF_SLOW(size), C10_AS_INTARRAYREF_SLOW(stride),
                                                    offset.guard_int(__FILE__, __LINE__));
  return self;
}

// The CPU's fused kernel, so that what is captured and counted is the same.
int64_t choose_attention(const Tensor&, const Tensor&, const Tensor&, const std::optional<Tensor>&, double, bool,
                         std::optional<double>, bool) {
  return static_cast<int64_t>(sdp::SDPBackend::flash_attention);
}

// Whether a tensor of the host may stand beside ones of the device: numbers, and indices, which CUDA's kernels copy by themselves.
bool may_be_on_host(const Tensor& tensor, const c10::OperatorHandle& op) {
  return tensor.dim() == 0 || op.operator_name().name.starts_with("aten::index");
}

class Call {
 public:
  Call(const c10::OperatorHandle& op, Stack& stack) : op_(op), stack_(stack), name_(op.schema().name().c_str()) {}

  void run() {
    const auto& arguments = op_.schema().arguments();
    const std::size_t first = stack_.size() - arguments.size();
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const auto* alias = arguments[i].alias_info();
      stack_[first + i] = on_host(stack_[first + i], alias && alias->isWrite());
    }
    launch(name_, views_.reads(), views_.writes());
    op_.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), &stack_);
    views_.take_back_resized();
    const std::size_t results = op_.schema().returns().size();
    bool waits = false;
    for (std::size_t i = stack_.size() - results; i < stack_.size(); ++i) {
      waits = waits || !(stack_[i].isTensor() || stack_[i].isTensorList());
      stack_[i] = on_device(stack_[i]);
    }
    if (waits) wait_for_stream();
  }

 private:
  Tensor on_host(const Tensor& tensor, bool written) {
    TORCH_CHECK(!tensor.defined() || !tensor.is_cpu() || may_be_on_host(tensor, op_), name_,
                ": expected all tensors to be on the same device, got one of the host, of sizes ", tensor.sizes());
    return views_.of(tensor, written);
  }

  c10::IValue on_host(const c10::IValue& value, bool written) {
    if (value.isTensor()) return on_host(value.toTensor(), written);
    if (value.isDevice()) return c10::Device(at::kCPU);
    if (value.isTensorList()) {
      c10::List<Tensor> views;
      for (const Tensor& tensor : value.toTensorVector()) views.push_back(on_host(tensor, written));
      return views;
    }
    if (value.isOptionalTensorList()) {
      c10::List<std::optional<Tensor>> views;
      for (const std::optional<Tensor> tensor : value.toOptionalTensorList())
        views.push_back(tensor ? std::optional(on_host(*tensor, written)) : std::nullopt);
      return views;
    }
    return value;
  }

  c10::IValue on_device(const c10::IValue& value) const {
    if (value.isTensor()) return views_.on_device(value.toTensor(), name_);
    if (!value.isTensorList()) return value;
    c10::List<Tensor> tensors;
    for (const Tensor& tensor : value.toTensorVector()) tensors.push_back(views_.on_device(tensor, name_));
    return tensors;
  }

  const c10::OperatorHandle& op_;
  Stack& stack_;
  const char* name_;
  HostViews views_;
};

void run_on_bytes(const c10::OperatorHandle& op, Stack* stack) { Call(op, *stack).run(); }

// Operators that the CPU has a kernel of its own for, where other devices get one that is put together of other operators: an exact
// kernel in the place of such a one is run here too.
std::vector<c10::OperatorName> own_of_cpu(const std::set<std::string>& of_device) {
  std::vector<c10::OperatorName> names;
  for (const c10::OperatorName& name : c10::Dispatcher::singleton().getRegistrationsForDispatchKey(c10::DispatchKey::CPU)) {
    if (!name.name.starts_with(kAten) || of_device.contains(c10::toString(name).substr(kAten.size()))) continue;
    const auto op = c10::Dispatcher::singleton().findSchemaOrThrow(name.name.c_str(), name.overload_name.c_str());
    const auto is_tensor = [](const c10::Argument& argument) {
      return argument.type()->isSubtypeOf(*c10::TensorType::get()) || argument.type()->isSubtypeOf(*c10::ListType::ofTensors());
    };
    const auto& arguments = op.schema().arguments();
    if (std::any_of(arguments.begin(), arguments.end(), is_tensor)) names.push_back(name);
  }
  return names;
}

struct Kernels {
  torch::Library all{torch::Library::IMPL, "_", c10::DispatchKey::PrivateUse1, __FILE__, __LINE__};
  torch::Library aten{torch::Library::IMPL, "aten", c10::DispatchKey::PrivateUse1, __FILE__, __LINE__};

  Kernels() {
    all.fallback(torch::CppFunction::makeFromBoxedFunction<&run_on_bytes>());
    own("empty.memory_format", TORCH_FN(empty));
    own("empty_strided", TORCH_FN(empty_strided));
    own("as_strided", TORCH_FN(as_strided));
    own("view", TORCH_FN(view));
    own("_reshape_alias", TORCH_FN(reshape_alias));
    own("unfold", TORCH_FN(at::native::unfold));
    own("resize_", TORCH_FN(resize));
    own("set_.source_Storage_storage_offset", TORCH_FN(set_storage));
    own("_copy_from", TORCH_FN(copy_from));
    own("_copy_from_and_resize", TORCH_FN(copy_from_and_resize));
    own("record_stream", TORCH_FN(record_stream));
    for (const c10::OperatorName& name : own_of_cpu(of_device_))
      aten.impl(c10::toString(name).substr(kAten.size()).c_str(), torch::CppFunction::makeFromBoxedFunction<&run_on_bytes>());
    at::native::_fused_sdp_choice_stub.set_privateuse1_dispatch_ptr(choose_attention);
  }

 private:
  template <typename Kernel>
  void own(const char* name, Kernel kernel) {
    aten.impl(name, kernel);
    of_device_.insert(name);
  }

  std::set<std::string> of_device_;
};

}  // namespace

void register_kernels() { [[maybe_unused]] static const auto* const once = new Kernels; }

}  // namespace ordercheck::ranks::fake
