#include "native/graph/interpreter.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/impl/TorchDispatchModeTLS.h>

#include "native/graph/dispatch_mode.h"

namespace ordercheck::ranks {
namespace {

using c10::impl::TorchDispatchModeTLS;

// During its lifetime, the innermost mode is off this thread's stack of modes, so that operators which it calls go to the next
// mode.
class PoppedMode {
 public:
  PoppedMode() : mode_(TorchDispatchModeTLS::pop_stack()) {}
  ~PoppedMode() { TorchDispatchModeTLS::push_non_infra_mode_onto_stack(mode_); }
  PoppedMode(const PoppedMode&) = delete;
  DispatchMode& operator*() const { return static_cast<DispatchMode&>(*Held::from_object(mode_->ptr(&interpreter()))); }

 private:
  std::shared_ptr<c10::impl::PyObject_TorchDispatchMode> mode_;
};

[[noreturn]] void refuse(const char* what) {
  TORCH_CHECK(false, "this process has no Python tensor subclass, yet one was asked for its ", what);
}

class Table final : public c10::impl::PyInterpreterVTable {
  using Impl = c10::TensorImpl;

  std::string name() const override { return "ordercheck"; }
  void incref(PyObject* object) const override { Held::from_object(object)->retain(); }
  void decref(PyObject* object) const override { Held::from_object(object)->drop(); }
  bool try_incref(const c10::impl::PyObjectSlot&) const override { return false; }
  size_t refcnt(PyObject*) const override { return 1; }

  // LibTorch dispatches detach to the innermost mode; none of our modes needs it.
  c10::intrusive_ptr<Impl> detach(const Impl* self) const override {
    const PoppedMode popped;
    return self->shallow_copy_and_detach(c10::VariableVersion(0), /*allow_tensor_metadata_change=*/true);
  }
  void dispatch(const c10::OperatorHandle& op, torch::jit::Stack* stack) const override {
    const PoppedMode popped;
    (*popped).call(op, *stack);
  }

  void reportErrorCallback(PyObject*, c10::DispatchKey) const override {}
  void python_op_registration_trampoline(const c10::OperatorHandle&, c10::DispatchKey, c10::DispatchKeySet, torch::jit::Stack*,
                                         bool, bool) const override {}
  void throw_abstract_impl_not_imported_error(std::string, const char*, const char*) const override {}
  void python_dispatcher(const c10::OperatorHandle&, c10::DispatchKeySet, torch::jit::Stack*) const override {}

  bool is_contiguous(const Impl*, at::MemoryFormat) const override { refuse("contiguity"); }
  c10::SymBool sym_is_contiguous(const Impl*, at::MemoryFormat) const override { refuse("contiguity"); }
  bool is_strides_like(const Impl*, at::MemoryFormat) const override { refuse("strides"); }
  bool is_non_overlapping_and_dense(const Impl*) const override { refuse("density"); }
  c10::Device device(const Impl*) const override { refuse("device"); }
  int64_t dim(const Impl*) const override { refuse("dim"); }
  c10::IntArrayRef strides(const Impl*) const override { refuse("strides"); }
  c10::IntArrayRef sizes(const Impl*) const override { refuse("sizes"); }
  c10::SymIntArrayRef sym_sizes(const Impl*) const override { refuse("sizes"); }
  c10::Layout layout(const Impl*) const override { refuse("layout"); }
  int64_t numel(const Impl*) const override { refuse("numel"); }
  c10::SymInt sym_numel(const Impl*) const override { refuse("numel"); }
  c10::SymIntArrayRef sym_strides(const Impl*) const override { refuse("strides"); }
  c10::SymInt sym_storage_offset(const Impl*) const override { refuse("storage offset"); }

  void trace_gpu_event_creation(c10::DeviceType, uintptr_t) const override {}
  void trace_gpu_event_deletion(c10::DeviceType, uintptr_t) const override {}
  void trace_gpu_event_record(c10::DeviceType, uintptr_t, uintptr_t) const override {}
  void trace_gpu_event_wait(c10::DeviceType, uintptr_t, uintptr_t) const override {}
  void trace_gpu_memory_allocation(c10::DeviceType, uintptr_t) const override {}
  void trace_gpu_memory_deallocation(c10::DeviceType, uintptr_t) const override {}
  void trace_gpu_stream_creation(c10::DeviceType, uintptr_t) const override {}
  void trace_gpu_device_synchronization(c10::DeviceType) const override {}
  void trace_gpu_stream_synchronization(c10::DeviceType, uintptr_t) const override {}
  void trace_gpu_event_synchronization(c10::DeviceType, uintptr_t) const override {}
  void reset_backward_hooks(const Impl*) const override {}
};

}  // namespace

// Never destroyed: LibTorch may call it at exit.
c10::impl::PyInterpreter& interpreter() {
  static auto* table = new Table;
  static auto* instance = new c10::impl::PyInterpreter(table);
  return *instance;
}

}  // namespace ordercheck::ranks
