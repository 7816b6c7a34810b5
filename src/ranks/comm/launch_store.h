// The store at the master of a launched world, as one process uses it: c10d's TCPStore, with texts, and with an end to waiting.
//
// A TCPStore whose host is gone without a word, as behind a cut link, blocks its client for as long as TCP tries. Here a call that
// takes longer than `patience` ends the process with exit code 3 and one line.
//
// Thread rules: one object a process, used by its one thread; it owns SIGALRM and the real-time timer.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "ranks/comm/descriptor.h"

namespace ordercheck::ranks {

struct StoreAddress {
  std::string host;
  int port = 0;
};

class LaunchStore {
 public:
  // Connects; tries until `patience` is over. Throws what c10d throws.
  LaunchStore(const StoreAddress& address, int rank, std::chrono::seconds patience);
  ~LaunchStore();
  LaunchStore(const LaunchStore&) = delete;

  // Each throws what c10d throws where the store has ended.
  void set(const std::string& key, const std::string& text);
  std::optional<std::string> find(const std::string& key);  // nothing where nobody has set it
  void forget(const std::string& key);
  std::int64_t add_one(const std::string& key);  // what it is then

  // Of any length: in pieces, since the store takes 8 MiB at once. Only what is there whole is found.
  void set_long(const std::string& key, const std::string& text);
  std::optional<std::string> take_long(const std::string& key);  // and forgets it

 private:
  c10::intrusive_ptr<c10d::TCPStore> store_;
  std::chrono::seconds patience_;
};

// Connects a store for a process group of its own: a rank's process uses no connection of its parent's.
c10::intrusive_ptr<c10d::Store> connect_store(const StoreAddress& address, std::chrono::seconds patience);

// Serves a store in a process of its own for as long as this lives, and no longer than this process: the caller stays without
// threads, so that it can fork ranks.
class StoreServer {
 public:
  // Throws std::runtime_error where the port cannot be had.
  explicit StoreServer(const StoreAddress& address);
  ~StoreServer();
  StoreServer(const StoreServer&) = delete;

  pid_t process() const { return process_; }

 private:
  pid_t process_;
};

// The address of this machine from which `host` is reached: what another machine that reaches `host` can reach this one at.
// Throws std::runtime_error where the host is not known or there is no way to it.
std::string address_towards(const StoreAddress& host);

}  // namespace ordercheck::ranks
