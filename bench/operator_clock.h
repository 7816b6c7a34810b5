// Where the CPU time of rank threads goes: inside operators, or around them.
//
// LibTorch tells an observer of every call of an operator (at::RecordFunction). Two intervals are measured, in CPU time
// of the thread, so that waiting for other ranks and being descheduled cost nothing:
//
//   calls    the outermost calls, from where the rank program or the backward pass makes them: autograd's bookkeeping,
//            dispatch modes (the operator meter, capture) and kernels
//   kernels  of those the part below all modes and below autograd's recording: what runs when no mode is left to ask.
//            Dispatch, allocation of results, arithmetic and its guard, copies, collectives (their exchange, not the
//            wait)
//
// Process-wide; installed once. An interval reads the clock twice, and a call within a kernel is watched without being
// timed; both costs are measured when it is installed, and taken off.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ordercheck::bench {

struct OperatorTimes {
  std::int64_t kernels_ns = 0;
  std::int64_t calls_ns = 0;
  std::int64_t kernels = 0;  // how many
};

void install_operator_clock();

// The sum over all threads that ran operators since the last call. No operator may be running.
OperatorTimes take_operator_times();

// Kernels by the operator's name, of all threads. No operator may be running.
struct OperatorTime {
  std::string name;
  std::int64_t calls = 0;
  std::int64_t ns = 0;
};
std::vector<OperatorTime> operator_times();

}  // namespace ordercheck::bench
