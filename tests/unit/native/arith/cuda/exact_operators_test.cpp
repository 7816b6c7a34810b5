// The exact kernels that are written for every device, over the whole conformance table: on the CPU against the CPU's own kernels of
// ranks/arith, bits, strides and refusals; and on each device against themselves, however operands lie.
#include "native/arith/cuda/exact_operators.h"

#include <array>
#include <cstdio>
#include <map>
#include <memory>

#include <ATen/core/dispatch/Dispatcher.h>
#include <gmock/gmock.h>

#include "base/text.h"
#include "native/arith/exactness.h"
#include "native/arith/operators.h"
#include "native/arith/range.h"
#include "native/arith/same_bits.h"
#include "native/arith/snap.h"
#include "unit/native/arith/cuda/on_devices.h"

namespace ordercheck::ranks {
namespace {

const std::string kCases = ORDERCHECK_SOURCE_DIR "/tests/data/exact/cases.tsv";
constexpr std::array kLayouts{"", "plain", "transposed", "second", "offset", "permuted"};

// Of a CPU alone: elsewhere LibTorch composes attention of products and a softmax.
bool is_of_cpus_alone(const std::string& op) { return op.find("_for_cpu") != op.npos; }

struct Told {
  std::string bits, strides;
  friend bool operator==(const Told&, const Told&) = default;
};

// What exact-conformance prints of each case.
std::map<std::string, Told> told(const std::string& kernels, const std::string& layout) {
  const std::string command = ORDERCHECK_BINARY_DIR "/bin/exact-conformance '" + kCases + "' '" + layout + "' " + kernels;
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string text;
  std::array<char, 4096> part;
  while (const std::size_t count = fread(part.data(), 1, part.size(), pipe.get())) text.append(part.data(), count);
  std::map<std::string, Told> all;
  for (const std::string& line : split(text, '\n'))
    if (const auto columns = split(line, '\t'); columns.size() == 3) all[columns[0]] = {columns[1], columns[2]};
  return all;
}

bool is_hash(const std::string& bits) { return bits.size() == 16 && bits.find_first_not_of("0123456789abcdef") == bits.npos; }

TEST(ExactOperators, GiveTheBitsStridesAndRefusalsOfTheCpusOwn) {
  for (const char* layout : kLayouts) {
    const auto owed = told("arith", layout), got = told("any-device", layout);
    EXPECT_GT(got.size(), 200u);
    for (const auto& [name, one] : got) {
      EXPECT_EQ(one.bits, owed.at(name).bits) << name << ", layout " << layout;
      EXPECT_EQ(one.strides, owed.at(name).strides) << name << ", layout " << layout;
    }
  }
}

using ExactOperatorsOn = OnDevices;
INSTANTIATE_TEST_SUITE_P(, ExactOperatorsOn, testing::Values("cpu", "cuda"), name_of_device);

TEST_P(ExactOperatorsOn, GiveTheSameBitsHoweverOperandsLie) {
  const std::string kernels = device().is_cpu() ? "any-device" : "cuda";
  const auto plain = told(kernels, "plain"), on_host = told("any-device", "plain");
  EXPECT_GT(plain.size(), 200u);
  for (const auto& [name, one] : plain)
    EXPECT_EQ(is_hash(one.bits), is_hash(on_host.at(name).bits)) << name << ": " << one.bits;
  for (const char* layout : kLayouts)
    for (const auto& [name, one] : told(kernels, layout))
      EXPECT_EQ(one.bits, plain.at(name).bits) << name << ", layout " << layout;
}

std::set<std::string> all_but_those_of_cpus_alone() {
  std::set<std::string> owed = operator_table().exact;
  std::erase_if(owed, is_of_cpus_alone);
  return owed;
}

TEST(ExactOperators, AreAllThatTheTableNamesButThoseOfCpusAlone) {
  EXPECT_THAT(install_exact_operators(c10::DispatchKey::CPU), testing::ContainerEq(all_but_those_of_cpus_alone()));
}

#ifdef ORDERCHECK_CUDA
// Needs no GPU: the dispatcher has CUDA's kernels once their library is loaded, and they are called with tensors of the host.
at::Tensor called_at_cuda(const char* name, const char* overload, std::vector<c10::IValue> arguments) {
  const c10::OperatorHandle op = c10::Dispatcher::singleton().findSchemaOrThrow(name, overload);
  op.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CUDA), &arguments);
  return arguments.empty() ? at::Tensor() : arguments[0].toTensor();
}

class AtCuda : public testing::Test {
 protected:
  AtCuda() {
    install_exact_operators(c10::DispatchKey::CPU);  // of each tensor of a list
    install_exact_operators(c10::DispatchKey::CUDA);
    reset_range(1);
    set_exact_grid(20);
  }
  ~AtCuda() override { set_exact_grid(kNotExact); }
  const at::Tensor a = at::rand({5, 7}, at::kDouble), b = at::rand({7, 3}, at::kDouble);
};

TEST_F(AtCuda, AllExactOperatorsAreInstalled) {
  std::set<std::string> owed = all_but_those_of_cpus_alone();
  owed.insert(operator_table().exact_on_gpus.begin(), operator_table().exact_on_gpus.end());
  EXPECT_THAT(install_exact_operators(c10::DispatchKey::CUDA), testing::ContainerEq(owed));
}

TEST_F(AtCuda, AProductIsTheExactOne) {
  const at::Tensor got = called_at_cuda("aten::mm", "", {a, b}), x = snapped(a, 20), y = snapped(b, 20);
  set_exact_grid(kNotExact);
  EXPECT_TRUE(same_bits(got, at::mm(x, y)));
  EXPECT_FALSE(same_bits(got, at::mm(a, b)));
}

TEST_F(AtCuda, WhatIsOnNoListIsRefused) {
  EXPECT_THROW(called_at_cuda("aten::cumprod", "", {a, 1, c10::IValue()}), Unsupported);
}

TEST_F(AtCuda, ListsAreTakenOneByOne) {
  const at::Tensor c = at::rand({5, 7}, at::kDouble), sum = a.clone();
  called_at_cuda("aten::_foreach_add_", "List", {c10::List<at::Tensor>({sum}), c10::List<at::Tensor>({c}), 1});
  const at::Tensor owed = called_at_cuda("aten::add", "Tensor", {a, c, 1});
  EXPECT_TRUE(same_bits(sum, owed));
}
#endif

}  // namespace
}  // namespace ordercheck::ranks
