#include "cli/shared/drawing.h"

#include <cstdio>
#include <fstream>

#include <fmt/format.h>

namespace ordercheck::cli {
namespace {

Status draw(const std::string& dot, const std::string& path) {
  // The path is quoted for the shell below.
  if (path.find('\'') != std::string::npos) return Error{"--out: a path without quotes is expected, got " + path};
  const std::string command = fmt::format("dot -Tsvg -o '{}' 2>/dev/null", path);
  FILE* pipe = popen(command.c_str(), "w");
  if (pipe == nullptr) return Error{"cannot start dot, which draws SVG"};
  std::fwrite(dot.data(), 1, dot.size(), pipe);
  if (pclose(pipe) == 0) return Done{};
  return Error{fmt::format("dot could not write {}; install graphviz, or use --format dot and draw it elsewhere", path)};
}

}  // namespace

Status write_picture(const std::string& text, const std::string& format, const std::string& path) {
  if (format == "svg") return draw(text, path.empty() ? "/dev/stdout" : path);
  if (path.empty()) {
    fmt::print("{}", text);
    return Done{};
  }
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) return Error{fmt::format("{}: cannot write it", path)};
  return Done{};
}

}  // namespace ordercheck::cli
