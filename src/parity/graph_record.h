// A captured graph as a record keeps it on request: operators over numbered values, for people to read and to draw.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ordercheck {

struct GraphNodeRecord {
  std::string op;             // "aten::mm"
  bool backward = false;      // of the backward half
  bool recomputed = false;    // forward work done again in backward
  std::string arguments;      // values and constants as they were handed in: "%1, 2"
  std::vector<int> operands;  // numbers of values
  std::vector<int> results;
  friend bool operator==(const GraphNodeRecord&, const GraphNodeRecord&) = default;
};

struct GraphRecord {
  std::string module;                             // that it was captured from, wrappers left out; "" for the model
  std::vector<std::vector<std::int64_t>> shapes;  // of value n
  std::vector<int> inputs, parameters;
  std::vector<int> saved;              // handed from forward to backward, parameters among them
  std::vector<int> outputs;            // of forward
  std::vector<int> tangents;           // their gradients, which backward is given
  std::vector<int> gradients;          // of inputs and parameters
  std::vector<GraphNodeRecord> nodes;  // in the order in which they run
  friend bool operator==(const GraphRecord&, const GraphRecord&) = default;
};

}  // namespace ordercheck
