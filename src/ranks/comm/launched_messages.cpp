#include "ranks/comm/launched_messages.h"

#include <stdexcept>

#include <nlohmann/json.hpp>

#include "protocol/record_codec.h"

namespace ordercheck::ranks {
namespace {

using nlohmann::json;

// Modules are names of the user's, in any bytes: CBOR takes them, and text would not.
std::string packed(const json& value) {
  const std::vector<std::uint8_t> cbor = json::to_cbor(value);
  return {cbor.begin(), cbor.end()};
}

}  // namespace

std::string encode(const LaunchedBeat& beat) {
  const FlightSlot& slot = beat.slot;
  return packed({beat.number, beat.waiting, slot.used, slot.torn, slot.step, static_cast<int>(slot.phase), slot.module,
                 slot.operation, slot.group, slot.sequence, slot.shape, slot.finished, slot.fatal_signal, slot.called_exit});
}

LaunchedBeat decode_launched_beat(const std::string& text) {
  const json value = json::from_cbor(text);
  return {.number = value.at(0),
          .waiting = value.at(1),
          .slot = {.used = value.at(2),
                   .torn = value.at(3),
                   .step = value.at(4),
                   .phase = static_cast<Phase>(value.at(5).get<int>()),
                   .module = value.at(6),
                   .operation = value.at(7),
                   .group = value.at(8),
                   .sequence = value.at(9),
                   .shape = value.at(10),
                   .finished = value.at(11),
                   .fatal_signal = value.at(12),
                   .called_exit = value.at(13)}};
}

std::string encode(const LaunchedEnd& end) {
  json value{{"how", static_cast<int>(end.how)}, {"status", end.status}, {"step", end.step}, {"where", end.where}};
  if (end.thrown) {
    Record record;
    record.ending = end.thrown->ending;
    record.failure = end.thrown->failure;
    value["thrown"] = json_of(record);
  }
  return packed(value);
}

LaunchedEnd decode_launched_end(const std::string& text) {
  const json value = json::from_cbor(text);
  LaunchedEnd end{.how = static_cast<LaunchedEnd::How>(value.at("how").get<int>()),
                  .status = value.at("status"),
                  .step = value.at("step"),
                  .where = value.at("where"),
                  .thrown = {}};
  if (value.contains("thrown")) {
    const auto record = record_of(value.at("thrown"));
    if (!record) throw std::runtime_error(record.error().message);
    end.thrown = WorldResult{.ending = record->ending, .failure = record->failure};
  }
  return end;
}

}  // namespace ordercheck::ranks
