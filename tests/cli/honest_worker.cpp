// A worker for tests of the command line: it says that it is native, computes nothing, and answers every case with the
// record that a sound engine writes. HONEST_WORKER_BREAKS names stacks, separated by blanks, that it fails in apply;
// HONEST_WORKER_BENDS stacks whose gradients it bends.
#include <cstdlib>
#include <iostream>
#include <string>

#include "base/text.h"
#include "unit/matrix/fake_runner.h"

namespace ordercheck {
namespace {

bool names(const char* variable, const std::string& stack) {
  const char* value = std::getenv(variable);
  if (value == nullptr) return false;
  for (const std::string& one : split(value, ' '))
    if (one == stack) return true;
  return false;
}

Record answer(const Run& run) {
  Record record = honest_record(run.subject);
  record.engine = "native";
  record.versions = {"libtorch 2.11.0"};
  const std::string stack = print(run.subject.stack);
  if (names("HONEST_WORKER_BREAKS", stack)) fail_in_apply(record, {.run = run});
  if (names("HONEST_WORKER_BENDS", stack)) spoil_gradient(record, {.run = run});
  return record;
}

}  // namespace
}  // namespace ordercheck

int main() {
  using namespace ordercheck;
  std::cout << encode(FakeRunner().hello()) << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    const auto run = decode_run(line);
    if (!run) {
      std::cerr << run.error().message << std::endl;
      return 1;
    }
    std::cout << encode(Answer{.id = run->id, .record = answer(*run)}) << std::endl;
  }
  return 0;
}
