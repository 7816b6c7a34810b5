// Every format that reads what others wrote: what must hold of any bytes at all, and valid samples to damage. Shared by the
// property tests (formats_test.cpp) and by libFuzzer (format_fuzzer.cpp).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ordercheck::fuzz {

struct Format {
  const char* name;
  // Whatever the bytes: a value that survives being written and read again, or one message. "" when so, else what is
  // wrong; what throws, crashes or hangs is wrong too.
  std::string (*check_one)(std::string_view bytes);
  std::vector<std::string> (*corpus)();
  const char* tokens;  // words of the format, separated by blanks: what damage puts in
};

// Each of these lists its formats. A page is preceded by a line with its path below rules/: "order/fsdp-before-tp.md".
std::vector<Format> text_formats();           // files of people
std::vector<Format> word_formats();           // words of a command line, fields of a table
std::vector<Format> table_formats();          // several tables at once: \x1e stands between two files
std::vector<Format> protocol_formats();       // what engines write
std::vector<Format> configuration_formats();  // configurations of other projects
std::vector<Format> all_formats();

// check_one, with exceptions told as text.
std::string check(const Format& format, std::string_view bytes);

// "" when `message` is what an error may be: not empty, one line, and where a place is due beginning with "<file>:<line>: ".
std::string check_message(std::string_view message, std::string_view file = "");

}  // namespace ordercheck::fuzz
