// Graphs that the native engine captured, kept in tests/data/graphs/ as the records that it answered with.
#pragma once

#include <cassert>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "graph/recorded.h"
#include "record/record_codec.h"

namespace ordercheck::placing {

inline std::vector<GraphRecord> recorded_graphs(const std::string& name) {
  const auto text = read_file(std::string(ORDERCHECK_SOURCE_DIR "/tests/data/graphs/") + name + ".json");
  assert(text);
  const auto record = record_of(nlohmann::json::parse(*text));
  assert(record);
  return record->graphs;
}

// `compile@model` of the llama of two layers.
inline JointGraph recorded_llama() { return joint_graph_of(recorded_graphs("llama").front()).value(); }

}  // namespace ordercheck::placing
