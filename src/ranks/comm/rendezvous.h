// Where ranks of the thread world meet: one collective of a group, or one message between two of its ranks.
//
// A rank brings an offer; when every participant's is there and they agree, exchange() (exchange.h) does the work. Thread
// rules: plain values, guarded by the world that holds them.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/Event.h>

#include "base/enum.h"
#include "ranks/comm/collectives.h"

namespace ordercheck::ranks {

ORDERCHECK_ENUM(Operation, all_reduce, all_gather, reduce_scatter, broadcast, all_to_all, barrier, send, recv)

// What one rank brings. A coalesced call has several inputs and outputs; the k-th of all ranks belong together.
struct Offer {
  Operation operation = Operation::barrier;
  Reduction reduction = Reduction::sum;      // all_reduce and reduce_scatter only
  int root = -1;                             // broadcast: the source's group rank
  std::vector<at::Tensor> inputs{};          // empty for recv
  std::vector<at::Tensor> outputs{};         // written by the exchange; may be the inputs themselves; empty for send
  std::vector<std::int64_t> input_splits{};  // all_to_all: rows per group rank; empty means even
  std::vector<std::int64_t> output_splits{};
  std::shared_ptr<c10::Event> ready{};  // behind it the inputs have their values; null on the CPU
};

// Messages between two ranks are numbered apart from the group's collectives, which all use the default channel.
struct Channel {
  int source = -1;  // group ranks
  int destination = -1;
  int tag = -1;
  bool is_message() const { return source >= 0; }
  friend auto operator<=>(const Channel&, const Channel&) = default;
};

struct Rendezvous {
  std::string group;
  Channel channel;
  std::int64_t number = 0;                   // on its channel, from 0
  std::vector<int> ranks;                    // participants, as ranks of the world; {source, destination} of a message
  std::vector<std::optional<Offer>> offers;  // one a participant, in the same order
  bool done = false;
  std::shared_ptr<c10::Event> exchanged{};  // behind it the outputs have theirs; null on the CPU
  std::string error;                        // the exchange itself failed

  bool complete() const;
};

// "float64 [4, 24, 48]"; of several tensors the first and how many follow, of none "".
std::string shape_text(const std::vector<at::Tensor>& tensors);

// What participants must agree on: "all_reduce(sum) float64 [4, 24, 48]".
std::string signature(const Offer& offer);

// "number 3 on tp", "message 0 from rank 0 to rank 1, tag 5, on pp".
std::string place_text(const Rendezvous& meeting);

// Two participants that came with different things, among those that came: the first one and the first that differs
// from it. `message` is one line that names both ranks and both signatures.
struct Disagreement {
  int first = 0;
  int second = 0;
  std::string message;
};
std::optional<Disagreement> find_disagreement(const Rendezvous& meeting);

}  // namespace ordercheck::ranks
