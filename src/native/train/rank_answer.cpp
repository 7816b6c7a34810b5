#include "native/train/rank_answer.h"

#include <cstdint>
#include <cstring>
#include <stdexcept>

#include <ATen/ATen.h>
#include <nlohmann/json.hpp>

#include "record/record_codec.h"

namespace ordercheck::ranks {
namespace {

using nlohmann::json;

json json_of(const at::Tensor& tensor) {
  if (!tensor.defined()) return nullptr;
  const at::Tensor whole = tensor.detach().contiguous();
  const auto* bytes = static_cast<const std::uint8_t*>(whole.const_data_ptr());
  return {{"dtype", static_cast<int>(whole.scalar_type())},
          {"sizes", whole.sizes().vec()},
          {"values", json::binary({bytes, bytes + whole.nbytes()})}};
}

at::Tensor tensor_of(const json& value) {
  if (value.is_null()) return {};
  const at::Tensor tensor =
      at::empty(value.at("sizes").get<std::vector<int64_t>>(), static_cast<at::ScalarType>(value.at("dtype").get<int>()));
  const json::binary_t& values = value.at("values").get_binary();
  // The sizes come from another process: check them before copying, so that the copy stays inside both buffers.
  if (values.size() != tensor.nbytes()) throw std::runtime_error("a rank returned a tensor whose size differs from its header");
  std::memcpy(tensor.mutable_data_ptr(), values.data(), values.size());
  return tensor;
}

json json_of(const Piece& piece) {
  json placements = json::array();
  for (const Placement& placement : piece.placements)
    placements.push_back({placement.axis, static_cast<int>(placement.kind), placement.dim});
  return {{"tensor", json_of(piece.tensor)}, {"placements", placements}};
}

Piece piece_of(const json& value) {
  Piece piece{.tensor = tensor_of(value.at("tensor")), .placements = {}};
  for (const json& one : value.at("placements"))
    piece.placements.push_back(
        {.axis = one.at(0), .kind = static_cast<Placement::Kind>(one.at(1).get<int>()), .dim = one.at(2)});
  return piece;
}

json json_of(const std::map<std::string, Piece>& pieces) {
  json object = json::object();
  for (const auto& [name, piece] : pieces) object[name] = json_of(piece);
  return object;
}

std::map<std::string, Piece> pieces_of(const json& value) {
  std::map<std::string, Piece> pieces;
  for (const auto& [name, piece] : value.items()) pieces[name] = piece_of(piece);
  return pieces;
}

json json_of(const TracedPiece& traced) {
  return {traced.step, static_cast<int>(traced.phase), traced.module, traced.call, traced.sequence_dim, json_of(traced.piece)};
}

TracedPiece traced_of(const json& value) {
  return {.step = value.at(0),
          .phase = static_cast<Phase>(value.at(1).get<int>()),
          .module = value.at(2),
          .call = value.at(3),
          .sequence_dim = value.at(4),
          .piece = piece_of(value.at(5))};
}

// Returns a record with the fields that a rank's result shares with records, so that they are serialized by the record codec.
Record record_of_rank(const RankResult& result) {
  Record record;
  record.steps.push_back({.loss = result.loss, .gradient_norm = result.gradient_norm});
  record.collectives = result.collectives;
  record.counters = result.counters;
  record.notes = result.notes;
  record.graphs = result.graphs;
  record.plans = result.plans;
  return record;
}

}  // namespace

std::string encode(const RankAnswer& answer) {
  const RankResult& result = answer.result;
  json gradients = json::array(), trace = json::array();
  for (const auto& step : result.gradients) gradients.push_back(json_of(step));
  for (const TracedPiece& traced : result.trace) trace.push_back(json_of(traced));
  const std::vector<std::uint8_t> bytes = json::to_cbor({{"device", result.where.device},
                                                         {"backend", result.where.backend},
                                                         {"has_block", result.has_block},
                                                         {"gradients", gradients},
                                                         {"values", json_of(result.values)},
                                                         {"trace", trace},
                                                         {"positions", json_of(result.positions)},
                                                         {"record", ordercheck::json_of(record_of_rank(result))},
                                                         {"range_used", answer.range_used}});
  return {bytes.begin(), bytes.end()};
}

RankAnswer decode_rank_answer(const std::string& bytes) {
  const json value = json::from_cbor(bytes);
  auto record = record_of(value.at("record"));
  if (!record) throw std::runtime_error(record.error().message);
  RankAnswer answer{.result = {.where = {.device = value.at("device"), .backend = value.at("backend")},
                               .has_block = value.at("has_block"),
                               .loss = record->steps.at(0).loss,
                               .gradient_norm = record->steps.at(0).gradient_norm,
                               .gradients = {},
                               .values = pieces_of(value.at("values")),
                               .trace = {},
                               .positions = tensor_of(value.at("positions")),
                               .collectives = record->collectives,
                               .counters = record->counters,
                               .notes = record->notes,
                               .graphs = record->graphs,
                               .plans = record->plans},
                    .range_used = value.at("range_used")};
  for (const json& step : value.at("gradients")) answer.result.gradients.push_back(pieces_of(step));
  for (const json& traced : value.at("trace")) answer.result.trace.push_back(traced_of(traced));
  return answer;
}

}  // namespace ordercheck::ranks
