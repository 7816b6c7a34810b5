// The worker's side of the protocol: says hello, then answers every run with a record until stdin is closed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "parity/record.h"
#include "protocol/flight.h"
#include "protocol/messages.h"

namespace ordercheck::ranks {

// How a case is run: run_case of ranks/train/run_case.h, or a program that watches it at work.
using CaseRunner = std::function<Record(const Run& run, FlightRecorder* flight, const std::function<void(int step)>& on_step)>;

// `versions` and `device` go into the hello. Takes over stdin, stdout and the process's settings for LibTorch; once a process. What it returns is the exit code:
// 0 after the last run, 2 when what came is not the protocol, with a line on stderr.
int serve(const CaseRunner& run_one, const std::vector<std::string>& versions, const std::string& device = "cpu");

// How a process of the native engine is set up before it does anything with LibTorch.

// One thread, memory that is kept for the next operator, and hooks on saved tensors. Once a process.
void settle_process();

// The descriptor of what was stdout. From then on what libraries print to stdout goes to stderr.
int move_stdout_aside();

}  // namespace ordercheck::ranks
