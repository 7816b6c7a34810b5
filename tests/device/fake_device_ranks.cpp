// The native engine's worker with its ranks' tensors on the fake device.
#include <cstdlib>
#include <iostream>

#include "device/fake_device.h"
#include "native/arith/cuda/prepare_gpu.h"
#include "native/train/run_case.h"
#include "native/train/serve.h"

int main() {
  using namespace ordercheck::ranks;
  if (const std::string why = settle_environment(); !why.empty()) {
    std::cerr << "fake-device-ranks: " << why << "\n";
    std::_Exit(2);
  }
  const RankSetup setup{.cpu = install_fake_device()};
  const CaseRunner run_one = [&](const auto& run, auto* flight, const auto& on_step) {
    return run_case_in(setup, run, flight, on_step);
  };
  std::_Exit(serve(run_one, versions_in(setup), device_in(setup)));
}
