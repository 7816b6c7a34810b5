// Renders JUnit XML for Jenkins, GitLab and GitHub Actions, without times and host names: equal runs give equal bytes.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ordercheck {

// How a test case ended:
//   passed   the run confirmed the prediction   failed   the run contradicted it
//   error    the engine crashed                 skipped  undecided; the message says why
enum class TestEnd { passed, failed, error, skipped };

struct TestCase {
  std::string name;
  TestEnd end = TestEnd::passed;
  std::string message;  // one line; empty if passed
  std::string detail;   // further lines
  std::string file;     // "" if it refers to no file
  int line = 0;         // 0 if unknown
};

struct TestSuite {
  std::string name;
  std::vector<std::pair<std::string, std::string>> properties;
  std::vector<TestCase> cases;
};

// Accepts any bytes; writes \xNN for what XML cannot represent.
std::string render_junit(const std::vector<TestSuite>& suites);

}  // namespace ordercheck
