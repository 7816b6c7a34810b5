// Implements the worker's side of the protocol: sends a hello, then answers every run with a record until stdin closes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "record/flight.h"
#include "record/messages.h"
#include "record/record.h"

namespace ordercheck::ranks {

// Runs a case and returns its record: run_case of native/train/run_case.h, or a wrapper of it.
using CaseRunner = std::function<Record(const Run& run, FlightRecorder* flight, const std::function<void(int step)>& on_step)>;

// Serves until stdin closes. `versions` and `device` go into the hello. Takes over stdin, stdout and LibTorch's process
// settings, so call it once per process. Returns the exit code: 0 after the last run, or 2 for a protocol error, with a line on
// stderr.
int serve(const CaseRunner& run_one, const std::vector<std::string>& versions, const std::string& device = "cpu");

// Sets up a process of the native engine; call before using LibTorch.

// Sets LibTorch to one thread, makes malloc keep freed memory for reuse, and installs the hooks on saved tensors. Call once per
// process.
void settle_process();

// Returns a new descriptor for the original stdout, and redirects descriptor 1 to stderr, so that what libraries print to
// stdout does not mix with the protocol.
int move_stdout_aside();

}  // namespace ordercheck::ranks
