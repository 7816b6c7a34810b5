#include "native/module/storage_meter.h"

#include <algorithm>

#include "native/module/rank.h"

namespace ordercheck::ranks {

void StorageMeter::change(std::int64_t by) {
  held_ += by;
  if (held_ > peak_) peak_ = held_;
}

std::int64_t StorageMeter::held() {
  forget_freed();
  return held_;
}

void StorageMeter::forget_freed() {
  std::erase_if(until_freed_, [this](const auto& storage) {
    if (!storage.expired()) return false;
    release(storage._unsafe_get_target());
    return true;
  });
}

void StorageMeter::hold_until_freed(const at::Tensor& tensor) {
  const auto storage = tensor.storage().getWeakStorageImpl();
  if (std::ranges::find(until_freed_, storage) != until_freed_.end()) return;
  hold(storage_key(tensor), storage_bytes(tensor));
  until_freed_.push_back(storage);
}

void StorageMeter::hold(const void* storage, std::int64_t bytes) {
  // Drop storages that were freed since the last count, so that the peak does not include them.
  forget_freed();
  Entry& entry = entries_[storage];
  if (entry.holders++ == 0) {
    entry.bytes = bytes;
    change(bytes);
  }
}

void StorageMeter::release(const void* storage) {
  const auto entry = entries_.find(storage);
  if (entry == entries_.end() || --entry->second.holders > 0) return;
  change(-entry->second.bytes);
  entries_.erase(entry);
}

void StorageMeter::resize(const void* storage, std::int64_t bytes) {
  forget_freed();
  const auto entry = entries_.find(storage);
  if (entry == entries_.end()) return;
  change(bytes - entry->second.bytes);
  entry->second.bytes = bytes;
}

const void* storage_key(const at::Tensor& tensor) { return tensor.storage().unsafeGetStorageImpl(); }

std::int64_t storage_bytes(const at::Tensor& tensor) { return static_cast<std::int64_t>(tensor.storage().nbytes()); }

HeldStorage::HeldStorage(at::Tensor tensor) : tensor_(std::move(tensor)) {
  if (RankState* rank = find_rank()) rank->parameters_held.hold(storage_key(tensor_), storage_bytes(tensor_));
}

HeldStorage::~HeldStorage() {
  if (RankState* rank = find_rank()) rank->parameters_held.release(storage_key(tensor_));
}

void hold_as_parameter(const at::Tensor& tensor) {
  RankState* rank = find_rank();
  if (rank && !rank->in_dry_run()) rank->parameters_held.hold_until_freed(tensor);
}

}  // namespace ordercheck::ranks
