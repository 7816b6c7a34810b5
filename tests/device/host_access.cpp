#include "device/host_access.h"

#include <signal.h>
#include <unistd.h>

#include <string_view>

#include "device/fake_memory.h"

namespace ordercheck::ranks::fake {
namespace {

struct sigaction before;

// Of what a handler may call: write and sigaction.
void name_access(int, siginfo_t* fault, void*) {
  if (fault->si_code > 0 && is_of_device(fault->si_addr)) {
    constexpr std::string_view line =
        "ordercheck-ranks: host code read or wrote memory of the fake device; on a GPU it would crash or read garbage\n";
    [[maybe_unused]] const auto written = write(STDERR_FILENO, line.data(), line.size());
  }
  sigaction(SIGSEGV, &before, nullptr);     // the access is done again when this returns, and ends the process
  if (fault->si_code <= 0) raise(SIGSEGV);  // sent by a process: nothing is done again
}

}  // namespace

void name_host_accesses() {
  struct sigaction action{};
  action.sa_sigaction = name_access;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGSEGV, &action, &before);
}

}  // namespace ordercheck::ranks::fake
