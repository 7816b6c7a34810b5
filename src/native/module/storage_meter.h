// Measures the bytes of tensor storages that a rank holds, and their peak. A storage with several holders counts once.
//
// Owned by one rank; not thread safe.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include <ATen/core/Tensor.h>

namespace ordercheck::ranks {

class StorageMeter {
 public:
  void hold(const void* storage, std::int64_t bytes);
  void release(const void* storage);
  void resize(const void* storage, std::int64_t bytes);  // FSDP frees or allocates a held storage in place
  void hold_until_freed(const at::Tensor& tensor);       // holds the storage once, until its last tensor dies
  bool holds(const void* storage) const { return entries_.count(storage) > 0; }

  std::int64_t held();
  std::int64_t peak() const { return peak_; }
  void restart_peak() { peak_ = held(); }

 private:
  struct Entry {
    int holders = 0;
    std::int64_t bytes = 0;
  };
  void change(std::int64_t by);
  void forget_freed();
  std::unordered_map<const void*, Entry> entries_;
  // Storages of hold_until_freed(). Weak references: freed ones are found at the next count. A weak reference keeps the
  // StorageImpl's address in use, so no new storage can have it before that.
  std::vector<c10::weak_intrusive_ptr<c10::StorageImpl>> until_freed_;
  std::int64_t held_ = 0;
  std::int64_t peak_ = 0;
};

const void* storage_key(const at::Tensor& tensor);
std::int64_t storage_bytes(const at::Tensor& tensor);

// During its lifetime, counts the tensor's storage in parameters_held of this thread's rank; does nothing outside a rank. Keeps
// the tensor alive, so that its address is not reused.
class HeldStorage {
 public:
  explicit HeldStorage(at::Tensor tensor);
  ~HeldStorage();
  HeldStorage(const HeldStorage&) = delete;
  HeldStorage& operator=(const HeldStorage&) = delete;

 private:
  at::Tensor tensor_;
};

// Counts the tensor's storage in parameters_held until its last tensor dies, without keeping it alive. Use it for gathered
// parameters. Does nothing in a dry run.
void hold_as_parameter(const at::Tensor& tensor);

}  // namespace ordercheck::ranks
