// Describes where ranks of the thread world meet: one collective of a group, or one message between two of its ranks.
//
// Each rank adds an offer. When all offers are present and agree, exchange() (exchange.h) does the work. Thread rules: plain
// values, guarded by the world that owns them.
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
#include "native/world/collectives.h"

namespace ordercheck::ranks {

ORDERCHECK_ENUM(Operation, all_reduce, all_gather, reduce_scatter, broadcast, all_to_all, barrier, send, recv)

// One rank's call of a collective, or its side of a message. A coalesced call has several inputs and outputs; the k-th ones of
// all ranks belong together.
struct Offer {
  Operation operation = Operation::barrier;
  Reduction reduction = Reduction::sum;       // all_reduce and reduce_scatter only
  int root = -1;                              // broadcast only: group rank of the source
  std::vector<at::Tensor> inputs{};           // empty for recv
  std::vector<at::Tensor> outputs{};          // written by the exchange; may alias inputs; empty for send
  std::vector<std::int64_t> input_splits{};   // all_to_all only: rows sent to each group rank; empty if all equal
  std::vector<std::int64_t> output_splits{};  // all_to_all only: rows received from each group rank; empty if all equal
  std::shared_ptr<c10::Event> ready{};        // event of the rank's stream after which inputs are valid; null on the CPU
};

// Which calls of a group are numbered together: all its collectives (the default channel), or the messages from one rank to
// another with one tag.
struct Channel {
  int source = -1;  // group ranks
  int destination = -1;
  int tag = -1;
  bool is_message() const { return source >= 0; }
  friend auto operator<=>(const Channel&, const Channel&) = default;
};

// One collective or message: the offers of all its ranks, as they arrive.
struct Rendezvous {
  std::string group;
  Channel channel;
  std::int64_t number = 0;                   // counts from 0 per channel
  std::vector<int> ranks;                    // participants as world ranks; {source, destination} for a message
  std::vector<std::optional<Offer>> offers;  // one per participant, in the same order
  bool done = false;                         // the exchange has written all outputs
  std::shared_ptr<c10::Event> exchanged{};   // event of the group's stream after which outputs are valid; null on the CPU
  std::string error;                         // why the exchange failed although all offers agree; empty if it did not

  bool complete() const;
};

// Returns dtype and sizes of the first tensor, and how many others follow: "float64 [4, 24, 48]". Empty for no tensors.
std::string shape_text(const std::vector<at::Tensor>& tensors);

// Returns the part of an offer that all ranks must agree on: "all_reduce(sum) float64 [4, 24, 48]".
std::string signature(const Offer& offer);

// Returns which collective or message it is: "number 3 on tp" or "message 0 from rank 0 to rank 1, tag 5, on pp".
std::string place_text(const Rendezvous& meeting);

// Two ranks whose offers differ: the first rank that has arrived, and the first one that differs from it. `message` names both
// ranks and what each called, in one line.
struct Disagreement {
  int first = 0;
  int second = 0;
  std::string message;
};
std::optional<Disagreement> find_disagreement(const Rendezvous& meeting);

}  // namespace ordercheck::ranks
