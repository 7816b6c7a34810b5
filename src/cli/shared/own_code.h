// The user's own code on the command line: --model, --apply, --batch, --loss, --widen.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "base/result.h"
#include "stack/case.h"

namespace ordercheck::cli {

struct OwnCode {
  std::string model;  // "": what the case says
  std::string apply, batch, loss, widen;

  // The first option that names code in Python, "" for none.
  std::string option_given() const;
};

void add_own_code_options(CLI::App* command, OwnCode& own);

// An error where a function is not written pkg:function.
Status check_own_code(const OwnCode& own);

// What was said replaces what the case says. A case of the usual steps keeps the usual ones.
void put_into(const OwnCode& own, Case& c);

}  // namespace ordercheck::cli
