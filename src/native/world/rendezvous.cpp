#include "native/world/rendezvous.h"

#include <algorithm>
#include <array>
#include <numeric>

#include <c10/core/ScalarType.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ordercheck::ranks {
namespace {

std::string tensor_text(const at::Tensor& tensor) {
  return fmt::format("{} [{}]", c10::getDtypeNames(tensor.scalar_type()).first, fmt::join(tensor.sizes(), ", "));
}

// Returns dtype and row size for comparison of all_to_all: "float64 [*, 48]". Ranks may exchange different numbers of rows.
std::string row_text(const at::Tensor& tensor) {
  std::string text = fmt::format("{} [*", c10::getDtypeNames(tensor.scalar_type()).first);
  for (std::int64_t dim = 1; dim < tensor.dim(); ++dim) text += fmt::format(", {}", tensor.size(dim));
  return text + "]";
}

// True if both ranks called the same: operation, reduction, root, dtypes and sizes. In all_to_all, the number of rows may
// differ. Comparing signature() texts would be too slow for every collective.
bool agree(const Offer& a, const Offer& b) {
  if (a.operation != b.operation || a.reduction != b.reduction || a.root != b.root || a.inputs.size() != b.inputs.size())
    return false;
  for (std::size_t k = 0; k < a.inputs.size(); ++k) {
    const at::Tensor &left = a.inputs[k], &right = b.inputs[k];
    if (left.scalar_type() != right.scalar_type() || left.dim() != right.dim()) return false;
    for (std::int64_t dim = a.operation == Operation::all_to_all ? 1 : 0; dim < left.dim(); ++dim)
      if (left.size(dim) != right.size(dim)) return false;
  }
  return true;
}

// Returns how many rows of `tensor` (the input or output of all_to_all) go to or come from each rank. Empty `splits` mean equal
// parts. nullopt if the splits do not add up to the tensor's rows, or if these are not divisible by `ranks`.
std::optional<std::vector<std::int64_t>> rows(const at::Tensor& tensor, const std::vector<std::int64_t>& splits,
                                              std::size_t ranks) {
  const std::int64_t have = tensor.dim() == 0 ? -1 : tensor.size(0);
  if (splits.empty()) {
    if (have < 0 || have % static_cast<std::int64_t>(ranks) != 0) return std::nullopt;
    return std::vector<std::int64_t>(ranks, have / static_cast<std::int64_t>(ranks));
  }
  if (splits.size() != ranks || std::accumulate(splits.begin(), splits.end(), std::int64_t{0}) != have) return std::nullopt;
  return splits;
}

std::optional<Disagreement> find_split_disagreement(const Rendezvous& meeting) {
  const std::size_t count = meeting.ranks.size();
  for (std::size_t from = 0; from < count; ++from) {
    const Offer& sender = *meeting.offers[from];
    const auto sent = rows(sender.inputs[0], sender.input_splits, count);
    if (!sent) {
      return Disagreement{meeting.ranks[from], meeting.ranks[from],
                          fmt::format("rank {} issued all_to_all of {} rows that its input splits [{}] do not divide "
                                      "among {} ranks, as {}",
                                      meeting.ranks[from], shape_text(sender.inputs), fmt::join(sender.input_splits, ", "),
                                      count, place_text(meeting))};
    }
    for (std::size_t to = 0; to < count; ++to) {
      const Offer& receiver = *meeting.offers[to];
      const auto expected = rows(receiver.outputs[0], receiver.output_splits, count);
      if (expected && (*expected)[from] == (*sent)[to]) continue;
      const std::string got = expected ? std::to_string((*expected)[from]) : "a number that its output cannot hold";
      return Disagreement{meeting.ranks[from], meeting.ranks[to],
                          fmt::format("all_to_all: rank {} sends {} rows to rank {}, which expects {}, as {}",
                                      meeting.ranks[from], (*sent)[to], meeting.ranks[to], got, place_text(meeting))};
    }
  }
  return std::nullopt;
}

std::optional<Disagreement> find_message_disagreement(const Rendezvous& meeting) {
  if (!meeting.complete()) return std::nullopt;
  const std::string sent = shape_text(meeting.offers[0]->inputs), expected = shape_text(meeting.offers[1]->outputs);
  if (sent == expected) return std::nullopt;
  return Disagreement{meeting.ranks[0], meeting.ranks[1],
                      fmt::format("rank {} sent {} and rank {} expects {} as {}", meeting.ranks[0], sent, meeting.ranks[1],
                                  expected, place_text(meeting))};
}

}  // namespace

bool Rendezvous::complete() const {
  return std::ranges::all_of(offers, [](const auto& offer) { return offer.has_value(); });
}

std::string shape_text(const std::vector<at::Tensor>& tensors) {
  if (tensors.empty()) return "";
  std::string text = tensor_text(tensors[0]);
  if (tensors.size() > 1) text += fmt::format(" and {} more", tensors.size() - 1);
  return text;
}

std::string signature(const Offer& offer) {
  std::string text = name_of(offer.operation);
  if (offer.operation == Operation::all_reduce || offer.operation == Operation::reduce_scatter)
    text += offer.reduction == Reduction::sum ? "(sum)" : "(max)";
  if (offer.operation == Operation::broadcast) text += fmt::format("(from group rank {})", offer.root);
  for (const at::Tensor& input : offer.inputs)
    text += " " + (offer.operation == Operation::all_to_all ? row_text(input) : tensor_text(input));
  return text;
}

std::string place_text(const Rendezvous& meeting) {
  if (!meeting.channel.is_message()) return fmt::format("number {} on {}", meeting.number, meeting.group);
  return fmt::format("message {} from rank {} to rank {}, tag {}, on {}", meeting.number, meeting.ranks[0], meeting.ranks[1],
                     meeting.channel.tag, meeting.group);
}

std::optional<Disagreement> find_disagreement(const Rendezvous& meeting) {
  if (meeting.channel.is_message()) return find_message_disagreement(meeting);
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < meeting.offers.size(); ++i) {
    // Skip ranks that have not arrived, but compare the others: if a mismatch is why ranks never arrive, it explains more than
    // a deadlock.
    if (!meeting.offers[i]) continue;
    if (!first) first = i;
    const Offer &expected = *meeting.offers[*first], &got = *meeting.offers[i];
    if (agree(expected, got)) continue;
    return Disagreement{meeting.ranks[*first], meeting.ranks[i],
                        fmt::format("rank {} issued {} and rank {} issued {} as {}", meeting.ranks[*first], signature(expected),
                                    meeting.ranks[i], signature(got), place_text(meeting))};
  }
  // Rows that one rank sends are compared with those that the other expects, so all ranks must have arrived.
  if (meeting.complete() && meeting.offers[0]->operation == Operation::all_to_all) return find_split_disagreement(meeting);
  return std::nullopt;
}

}  // namespace ordercheck::ranks
