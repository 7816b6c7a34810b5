// ordercheck-ranks, the native engine's worker. Speaks the worker protocol over stdin and stdout (record/messages.h). With
// arguments it is a rank of a launched world (native/train/launch.h).
#include <cstdlib>
#include <iostream>
#include <string_view>

#include <fmt/format.h>

#include "native/arith/cuda/prepare_gpu.h"
#include "native/train/launch.h"
#include "native/train/run_case.h"
#include "native/train/serve.h"

namespace {

using namespace ordercheck::ranks;

// Returns an environment variable, or `usual` if it is not set. Settings are environment variables, because engine files can
// set those.
std::string_view setting(const char* name, const char* usual) {
  const char* value = std::getenv(name);
  return value ? value : usual;
}

[[noreturn]] void refuse(const char* name, std::string_view expected, std::string_view got) {
  std::cerr << fmt::format("ordercheck-ranks: {}: expected {}, got '{}'\n", name, expected, got);
  std::_Exit(2);
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count > 1) std::_Exit(launch(argument_count, arguments));
  const std::string_view named = setting("ORDERCHECK_WORLD", name_of(WorldKind::threads));
  const auto world = ordercheck::find_named<WorldKind>(named);
  if (!world) refuse("ORDERCHECK_WORLD", "threads, gloo or nccl", named);
  const bool over_nccl = *world == WorldKind::nccl;
  const std::string_view device_named = setting("ORDERCHECK_DEVICE", name_of(over_nccl ? DeviceKind::cuda : DeviceKind::cpu));
  const auto device = ordercheck::find_named<DeviceKind>(device_named);
  if (!device) refuse("ORDERCHECK_DEVICE", "cpu or cuda", device_named);
  if (over_nccl && *device != DeviceKind::cuda)
    refuse("ORDERCHECK_DEVICE", "cuda, or none named, with ranks over nccl", device_named);
  const RankSetup setup{.world = *world, .device = *device};
  if (const std::string why = settle_environment(); !why.empty()) {
    std::cerr << "ordercheck-ranks: " << why << "\n";
    std::_Exit(2);
  }
  const CaseRunner run_one = [&](const auto& run, auto* flight, const auto& on_step) {
    return run_case_in(setup, run, flight, on_step);
  };
  const int code = serve(run_one, versions_in(setup), device_in(setup));
  std::_Exit(code);  // skip LibTorch's static destructors
}
