// What cannot be captured. Code with a side effect that is no operator (a storage resized, a reducer made ready) says so
// by break_graph(); a capture that meets it is given up, nothing of the effect having happened, and the caller falls back.
//
// After torch._dynamo's graph breaks. Thread bound.
#pragma once

#include <stdexcept>
#include <string>

namespace ordercheck::ranks {

class GraphBreak : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws GraphBreak while this thread records; otherwise does nothing. `reason` reads after "graph break in layers.0:".
void break_graph(const std::string& reason);

bool is_recording();

// Set by the recorder for as long as it records.
class RecordingScope {
 public:
  RecordingScope();
  ~RecordingScope();
  RecordingScope(const RecordingScope&) = delete;
};

}  // namespace ordercheck::ranks
