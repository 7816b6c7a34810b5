// ordercheck-ranks: the native engine's worker. Speaks the worker protocol over stdin and stdout; see protocol/messages.h.
#include <cstdlib>

#include "ranks/train/run_case.h"
#include "ranks/worker/serve.h"

int main() {
  const int code = ordercheck::ranks::serve(ordercheck::ranks::run_case);
  std::_Exit(code);  // LibTorch's static destructors have nothing to add
}
