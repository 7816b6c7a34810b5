// A worker for tests of the command line: it says that it is native, or what HONEST_WORKER_ENGINE and HONEST_WORKER_VERSION
// say, computes nothing, and answers every case with the record that a sound engine writes. HONEST_WORKER_BREAKS names
// stacks, separated by blanks, that it fails in apply; HONEST_WORKER_BENDS stacks whose gradients it bends; HONEST_WORKER_EATS
// stacks for which it takes memory until there is none; HONEST_WORKER_MODELS the models that it builds; with
// HONEST_WORKER_RUNS_OWN_CODE it takes a user's functions, too. Each run takes HONEST_WORKER_TAKES milliseconds, and leaves a
// line in HONEST_WORKER_LOG when it begins.
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "base/text.h"
#include "stack/notation.h"
#include "unit/graph/sample_graph.h"
#include "unit/record/honest_record.h"
#include "unit/record/sample_hello.h"
#include "unit/report/text/sample_plan.h"

namespace ordercheck {
namespace {

bool names(const char* variable, const std::string& stack) {
  const char* value = std::getenv(variable);
  if (value == nullptr) return false;
  for (const std::string& one : split(value, ' '))
    if (one == stack) return true;
  return false;
}

Hello hello() {
  Hello hello = sample_hello();
  if (const char* engine = std::getenv("HONEST_WORKER_ENGINE")) hello.engine = engine;
  if (const char* version = std::getenv("HONEST_WORKER_VERSION")) hello.versions = {version};
  if (const char* models = std::getenv("HONEST_WORKER_MODELS")) hello.models = split(models, ' ');
  hello.own_code = std::getenv("HONEST_WORKER_RUNS_OWN_CODE") != nullptr;
  return hello;
}

void eat_memory() {
  constexpr std::size_t bite = 64 << 20;
  for (std::vector<std::vector<char>> eaten;;) eaten.emplace_back(bite, 'x');
}

void begin(const Run& run) {
  if (const char* log = std::getenv("HONEST_WORKER_LOG")) std::ofstream(log, std::ios::app) << print(run.subject) + "\n";
  if (const char* takes = std::getenv("HONEST_WORKER_TAKES"))
    std::this_thread::sleep_for(std::chrono::milliseconds(std::atoi(takes)));
}

// Of two operators, of which the pass dead_code removes one.
std::vector<GraphRecord> graphs(Keep keep) {
  captured::SampleGraph sample;
  sample.add("aten::exp", {sample.input(4)}, 4);
  sample.add("aten::neg", {0}, 4);
  sample.graph.outputs = {1};
  GraphRecord behind = sample.graph;
  behind.passes = {"dead_code"};
  behind.nodes.pop_back();
  if (keep == Keep::passes) return {sample.graph, behind};
  return keep == Keep::graphs ? std::vector{behind} : std::vector<GraphRecord>{};
}

Record answer(const Run& run) {
  begin(run);
  Record record = honest_record(run.subject);
  record.graphs = graphs(run.keep);
  if (run.keep == Keep::graphs) record.plans = {sample_plan()};
  const std::string stack = print(run.subject.stack);
  if (names("HONEST_WORKER_EATS", stack)) eat_memory();
  if (names("HONEST_WORKER_BREAKS", stack)) break_in_apply(record);
  if (names("HONEST_WORKER_BENDS", stack)) bend_gradient(record);
  record.engine = hello().engine;
  record.versions = hello().versions;
  return record;
}

}  // namespace
}  // namespace ordercheck

int main() {
  using namespace ordercheck;
  std::cout << encode(hello()) << std::endl;
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
