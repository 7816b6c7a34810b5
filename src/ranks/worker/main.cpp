// ordercheck-ranks: the native engine's worker. Speaks the worker protocol over stdin and stdout; see protocol/messages.h.
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "ranks/module/checks.h"
#include "ranks/train/run_case.h"
#include "ranks/worker/serve.h"

int main() {
  // By the environment: engine files have one, and the hello then says another engine.
  const char* checks = std::getenv("ORDERCHECK_CHECKS");
  if (checks && std::string_view(checks) != "off") {
    std::cerr << "ordercheck-ranks: ORDERCHECK_CHECKS: expected off or nothing, got '" << checks << "'\n";
    return 2;
  }
  if (checks) ordercheck::ranks::leave_checks_out();
  const int code = ordercheck::ranks::serve(ordercheck::ranks::run_case);
  std::_Exit(code);  // LibTorch's static destructors have nothing to add
}
