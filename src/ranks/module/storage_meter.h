// Bytes of distinct storages held, and their peak. A storage held by several is counted once.
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
  void resize(const void* storage, std::int64_t bytes);  // a held storage that grew or was freed in place
  void hold_until_freed(const at::Tensor& tensor);       // its storage, once, for as long as any tensor shows it
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
  // Weak: what is freed is found when bytes are counted next, and until then its address is not given to another storage.
  std::vector<c10::weak_intrusive_ptr<c10::StorageImpl>> until_freed_;
  std::int64_t held_ = 0;
  std::int64_t peak_ = 0;
};

const void* storage_key(const at::Tensor& tensor);
std::int64_t storage_bytes(const at::Tensor& tensor);

// Counts a tensor's storage among the parameters of the rank that this thread runs, for its own lifetime; outside a rank
// it counts nothing. Holds the tensor, so that its address is not reused meanwhile.
class HeldStorage {
 public:
  explicit HeldStorage(at::Tensor tensor);
  ~HeldStorage();
  HeldStorage(const HeldStorage&) = delete;
  HeldStorage& operator=(const HeldStorage&) = delete;

 private:
  at::Tensor tensor_;
};

// Counts a tensor's storage likewise, until the last tensor that shows it is gone, and holds nothing itself: of what a parameter is
// gathered to. In a dry run it counts nothing.
void hold_as_parameter(const at::Tensor& tensor);

}  // namespace ordercheck::ranks
