// libFuzzer's entry for one format, chosen when it is compiled: ORDERCHECK_FORMAT="stack". Given `--corpus <folder>` alone it
// writes the samples there.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/file.h"
#include "fuzz/formats.h"

namespace {

using ordercheck::fuzz::Format;

Format chosen() {
  for (const Format& format : ordercheck::fuzz::all_formats())
    if (std::string(format.name) == ORDERCHECK_FORMAT) return format;
  std::fprintf(stderr, "there is no format %s\n", ORDERCHECK_FORMAT);
  std::abort();
}

void write_samples(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  int number = 0;
  for (const std::string& sample : chosen().corpus()) (void)ordercheck::replace_file(folder / std::to_string(number++), sample);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  if (*count == 3 && std::string((*arguments)[1]) == "--corpus") {
    write_samples((*arguments)[2]);
    std::exit(0);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Format format = chosen();
  const std::string wrong = ordercheck::fuzz::check(format, {reinterpret_cast<const char*>(data), size});
  if (wrong.empty()) return 0;
  std::fprintf(stderr, "%s: %s\n", format.name, wrong.c_str());
  std::abort();
}
