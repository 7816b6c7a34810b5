// The native engine's worker with clocks around it: the same loop and the same run_case as ordercheck-ranks, and a line
// of figures when it is ready, after every run, and at the end.
#include <cstdlib>
#include <fstream>
#include <iostream>

#include "clocks.h"
#include "figures.h"
#include "native/train/run_case.h"
#include "native/train/serve.h"
#include "operator_clock.h"

using namespace ordercheck;
using namespace ordercheck::bench;

int main() {
  const char* path = std::getenv(kFiguresVariable);
  if (path == nullptr) {
    std::cerr << "overhead-worker: " << kFiguresVariable << " names no file; this is started by overhead\n";
    return 2;
  }
  std::ofstream out(path);
  if (std::getenv(kClockVariable) != nullptr) install_operator_clock();
  OperatorTimes times;
  const auto write = [&] {
    out << Figures{.process_ns = process_cpu_ns(),
                   .main_ns = thread_cpu_ns(),
                   .kernels_ns = times.kernels_ns,
                   .calls_ns = times.calls_ns,
                   .kernels = times.kernels}
        << std::flush;
  };
  const auto run = [&](const Run& asked, FlightRecorder* flight, const std::function<void(int)>& on_step) {
    write();  // what came before belongs to the run before, the encoding of its record included
    take_operator_times();
    Record record = ranks::run_case(asked, flight, on_step);
    times = take_operator_times();
    return record;
  };
  const int code = ranks::serve(run, ranks::versions_in({}));
  write();
  std::ofstream operators(std::string(path) + kOperatorsSuffix);
  for (const OperatorTime& time : operator_times()) operators << time.name << ' ' << time.calls << ' ' << time.ns << '\n';
  operators.flush();
  std::_Exit(code);
}
