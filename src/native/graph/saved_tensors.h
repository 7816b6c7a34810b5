// Provides saved-tensor hooks in C++: they pack and unpack the tensors that autograd saves for backward. As in PyTorch, only
// the innermost scope applies. Outside any scope, default hooks count the saved bytes in RankState::saved_for_backward.
//
// LibTorch asks its default engine for these hooks; install_saved_tensor_hooks() installs an engine that provides them.
#pragma once

#include <memory>

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/saved_variable_hooks.h>

#include "native/graph/interpreter.h"
#include "native/module/rank.h"

namespace ordercheck::ranks {

// Keeps a tensor that autograd saved, and counts its storage in saved_for_backward of the rank during its lifetime. Does not
// count parameters, which stay alive anyway. Outside a rank it counts nothing.
class SavedTensor {
 public:
  explicit SavedTensor(at::Tensor tensor);
  ~SavedTensor();
  SavedTensor(const SavedTensor&) = delete;
  SavedTensor& operator=(const SavedTensor&) = delete;
  const at::Tensor& tensor() const { return tensor_; }

 private:
  RankState* rank_ = nullptr;  // null if not counted
  at::Tensor tensor_;
};

// Factory: makes the pack and unpack hooks of each saved tensor.
class SavedTensorHooks : public Held {
 public:
  virtual std::unique_ptr<torch::autograd::SavedVariableHooks> make() = 0;
};

// Call once per process, before the first backward, on any thread.
void install_saved_tensor_hooks();

// During its lifetime, tensors that this thread's forward saves get these hooks. Takes over the caller's reference.
class SavedTensorHooksScope {
 public:
  explicit SavedTensorHooksScope(SavedTensorHooks* hooks);
  ~SavedTensorHooksScope();
  SavedTensorHooksScope(const SavedTensorHooksScope&) = delete;
};

}  // namespace ordercheck::ranks
