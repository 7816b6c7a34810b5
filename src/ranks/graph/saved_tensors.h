// Saved-tensor hooks in C++: who packs the tensors that autograd saves for backward, and unpacks them again. As in
// PyTorch only the innermost scope applies. Beneath every scope, the bytes that stay saved are counted with the rank.
//
// LibTorch asks its default engine for these hooks; install_saved_tensor_hooks() puts an engine in place that answers.
#pragma once

#include <memory>

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/saved_variable_hooks.h>

#include "ranks/graph/interpreter.h"
#include "ranks/module/rank.h"

namespace ordercheck::ranks {

// A tensor kept for backward, its storage counted with the rank for as long. Parameters are not counted: they are there
// anyway. Outside a rank nothing is counted.
class SavedTensor {
 public:
  explicit SavedTensor(at::Tensor tensor);
  ~SavedTensor();
  SavedTensor(const SavedTensor&) = delete;
  SavedTensor& operator=(const SavedTensor&) = delete;
  const at::Tensor& tensor() const { return tensor_; }

 private:
  RankState* rank_ = nullptr;  // null when not counted
  at::Tensor tensor_;
};

// Makes the hooks of one saved tensor.
class SavedTensorHooks : public Held {
 public:
  virtual std::unique_ptr<torch::autograd::SavedVariableHooks> make() = 0;
};

// Once a process, before the first backward. Any thread.
void install_saved_tensor_hooks();

// Applies hooks on this thread for its lifetime. Takes over the caller's reference.
class SavedTensorHooksScope {
 public:
  explicit SavedTensorHooksScope(SavedTensorHooks* hooks);
  ~SavedTensorHooksScope();
  SavedTensorHooksScope(const SavedTensorHooksScope&) = delete;
};

}  // namespace ordercheck::ranks
