#include "ranks/graph/buffer_reuse.h"

namespace ordercheck::ranks {

void reuse_buffers(Graph& graph) {
  GraphRecord planned = describe(graph);
  planned.saved = read_by_backward(graph);
  graph.buffers = captured::plan_buffers(planned);
}

}  // namespace ordercheck::ranks
