// A .test file: commands, what they print, and how they end.
//
//   # a comment; `# needs worker` skips the file where no native worker was built
//   $ ordercheck check tp=2,fsdp=2
//   expected output, stdout and stderr together
//   ...                              any lines, also none; within a line, any text
//   exit 0
//
// {data} is tests/cli/data, {tmp} an empty folder of the file's own, {source} the repository, {bin} the built programs;
// in commands they are replaced by the path, in output the path by the name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ordercheck {

struct ScriptStep {
  int line = 0;
  std::string command;
  std::vector<std::string> expected;
  int exit_code = 0;
};

struct Script {
  bool needs_worker = false;
  std::vector<ScriptStep> steps;
  std::string error;  // what is wrong with the file itself
};

Script parse_script(std::string_view text);

// Whether lines are as expected; `...` lines match any number of lines.
bool lines_match(const std::vector<std::string>& expected, const std::vector<std::string>& lines);

}  // namespace ordercheck
