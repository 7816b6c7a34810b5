#include "ranks/graph/graph_break.h"

namespace ordercheck::ranks {
namespace {

thread_local int recordings = 0;

}  // namespace

void break_graph(const std::string& reason) {
  if (is_recording()) throw GraphBreak(reason);
}

bool is_recording() { return recordings > 0; }

RecordingScope::RecordingScope() { ++recordings; }
RecordingScope::~RecordingScope() { --recordings; }

}  // namespace ordercheck::ranks
