#include "native/train/serve.h"

#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <string>

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include "base/bits.h"
#include "base/file.h"
#include "native/arith/cuda/devices.h"
#include "native/graph/saved_tensors.h"
#include "native/module/models.h"
#include "native/train/run_case.h"
#include "native/transform/transform.h"
#include "record/flight.h"
#include "record/messages.h"

namespace ordercheck::ranks {
namespace {

// Writes protocol lines to the original stdout. Locked, because rank threads report their steps too.
class ProtocolOut {
 public:
  explicit ProtocolOut(int descriptor) : descriptor_(descriptor) {}
  void line(std::string text) {
    text += '\n';
    const std::lock_guard<std::mutex> turn(mutex_);
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t count = write(descriptor_, text.data() + sent, text.size() - sent);
      if (count <= 0) std::_Exit(2);  // the reader is gone
      sent += static_cast<std::size_t>(count);
    }
  }

 private:
  int descriptor_;
  std::mutex mutex_;
};

Hello introduce(const std::vector<std::string>& versions, const std::string& device) {
  Hello hello{.engine = "native",
              .versions = versions,
              .devices = {device},
              .absent_device = devices_here().absent,
              .transforms = built_transforms(),
              .models = model_names(),
              .faults = {"crash", "hang", "throw", "slow", "nonsense", "exit", "skip_collective", "wrong_shape"},
              .max_ranks = kMaxRanks};
  const auto program = read_file("/proc/self/exe");
  hello.content_hash = program ? hex(hash_of(*program)) : "unreadable";
  return hello;
}

void answer(const Run& run, const CaseRunner& run_one, ProtocolOut& out) {
  if (run.fault && run.fault->kind == "nonsense") {
    out.line("this is not the protocol");
    return;
  }
  std::unique_ptr<FlightRecorder> flight;
  if (!run.flight_file.empty()) {
    auto created = FlightRecorder::create(run.flight_file, world_size(mesh_of(run.subject.stack)));
    if (!created) {
      std::cerr << created.error().message << "\n";
      std::_Exit(2);
    }
    flight = std::move(created).value();
  }
  const auto on_step = [&](int step) { out.line(encode(Progress{.id = run.id, .step = step})); };
  out.line(encode(Answer{.id = run.id, .record = run_one(run, flight.get(), on_step)}));
}

}  // namespace

int serve(const CaseRunner& run_one, const std::vector<std::string>& versions, const std::string& device) {
  // Libraries print to stdout: move it aside before anything else can.
  ProtocolOut out(move_stdout_aside());
  settle_process();
  out.line(encode(introduce(versions, device)));
  for (std::string line; std::getline(std::cin, line);) {
    const auto run = decode_run(line);
    if (!run) {
      std::cerr << "ordercheck-ranks: " << run.error().message << "\n";
      return 2;
    }
    answer(*run, run_one, out);
  }
  return 0;
}

void settle_process() {
  setenv("OMP_NUM_THREADS", "1", 1);
  // Tensors of a few MB come and go with every operator: keep their memory instead of giving it back page by page.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  at::set_num_threads(1);
  install_saved_tensor_hooks();
}

int move_stdout_aside() {
  const int aside = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  return aside;
}

}  // namespace ordercheck::ranks
