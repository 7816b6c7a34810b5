// JUnit XML, as Jenkins, GitLab and GitHub actions read it. No times and no host: the same runs give the same bytes.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ordercheck {

//   passed   what was predicted was seen       failed   it was decided against
//   error    the engine broke                  skipped  nothing was decided, and the message says why
enum class TestEnd { passed, failed, error, skipped };

struct TestCase {
  std::string name;
  TestEnd end = TestEnd::passed;
  std::string message;  // one line: of all but passed
  std::string detail;   // further lines
  std::string file;     // "" where it is about none
  int line = 0;         // 0: unknown
};

struct TestSuite {
  std::string name;
  std::vector<std::pair<std::string, std::string>> properties;
  std::vector<TestCase> cases;
};

// Any bytes may stand in the texts: what XML cannot hold is written \xNN.
std::string render_junit(const std::vector<TestSuite>& suites);

}  // namespace ordercheck
