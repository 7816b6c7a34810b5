// Any bytes at all, read as every format: a value or one message, never a crash, an exception or a wait for ever.
#include "fuzz/formats.h"

#include <unistd.h>

#include <csignal>
#include <ostream>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text.h"
#include "fuzz/damage.h"

namespace ordercheck::fuzz {

void PrintTo(const Format& format, std::ostream* out) { *out << format.name; }

namespace {

// One property runs this many inputs a case: most are refused in microseconds.
constexpr int kInputs = 5;

// As a literal of C++, so that a finding can be pasted into the regression tests.
std::string literal(std::string_view bytes) {
  std::string text = "\"";
  for (const unsigned char c : bytes) {
    if (c == '"' || c == '\\') text += '\\';
    if (c >= ' ' && c < 0x7f)
      text += static_cast<char>(c);
    else
      text += {'\\', static_cast<char>('0' + c / 64), static_cast<char>('0' + c / 8 % 8), static_cast<char>('0' + c % 8)};
  }
  return text + "\"";
}

std::string in_hand;  // what a crash is about

void tell_and_die(int signal) {
  (void)!write(STDERR_FILENO, in_hand.data(), in_hand.size());
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void hold(const Format& format, const std::string& bytes) {
  in_hand = std::string("\nthe program broke on this ") + format.name + ": " + literal(bytes) + "\n";
  const std::string wrong = check(format, bytes);
  if (!wrong.empty()) RC_FAIL(wrong + "\n" + literal(bytes));
}

class Formats : public testing::TestWithParam<Format> {
 protected:
  static void SetUpTestSuite() {
    for (const int signal : {SIGABRT, SIGSEGV, SIGFPE}) std::signal(signal, tell_and_die);
  }
};

TEST_P(Formats, TakeEverySample) {
  const auto samples = GetParam().corpus();
  ASSERT_FALSE(samples.empty());
  for (const std::string& sample : samples) EXPECT_EQ(check(GetParam(), sample), "") << literal(sample);
}

TEST_P(Formats, TakeAnyBytes) {
  const bool held = rc::check([&] {
    for (int i = 0; i < kInputs; ++i) hold(GetParam(), random_bytes());
  });
  EXPECT_TRUE(held);
}

TEST_P(Formats, TakeDamagedSamples) {
  const auto samples = GetParam().corpus(), words = split(GetParam().tokens, ' ');
  const bool held = rc::check([&] {
    for (int i = 0; i < kInputs; ++i) hold(GetParam(), damaged(samples, words));
  });
  EXPECT_TRUE(held);
}

INSTANTIATE_TEST_SUITE_P(Every, Formats, testing::ValuesIn(all_formats()), [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace ordercheck::fuzz
