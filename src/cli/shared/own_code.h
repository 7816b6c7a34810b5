// Adds the options for the user's own code: --model, --apply, --batch, --loss, --widen.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "base/result.h"
#include "stack/case.h"

namespace ordercheck::cli {

struct OwnCode {
  std::string model;  // "": the model of the case
  std::string apply, batch, loss, widen;

  // The first of --apply, --batch, --loss and --widen that is given; "" if none is.
  std::string option_given() const;
};

void add_own_code_options(CLI::App* command, OwnCode& own);

// Returns an error if a function is not written pkg:function.
Status check_own_code(const OwnCode& own);

// Sets the given options in the case. If the case has the default number of steps, it gets the default for the new options.
void put_into(const OwnCode& own, Case& c);

}  // namespace ordercheck::cli
