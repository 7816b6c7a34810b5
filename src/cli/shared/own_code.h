// Adds the options for the user's own code: --model, --widen, and those of kOwnFunctions.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/result.h"
#include "stack/case.h"
#include "stack/own_functions.h"

namespace ordercheck::cli {

struct OwnCode {
  std::string model;  // "": the model of the case
  std::string apply, batch, loss, optimizer, step, widen;

  // The first of the options other than --model that is given; "" if none is.
  std::string option_given() const;
};

void add_own_code_options(CLI::App* command, OwnCode& own);

// The code of two sides: an option that is given twice is that of the left and of the right, one that is given once of both.
struct OwnCodeOfTwo {
  std::string model, widen;
  std::array<std::vector<std::string>, kOwnFunctions<OwnCode>.size()> functions;  // in the order of kOwnFunctions

  OwnCode left() const;
  OwnCode right() const;
  // The first of the options other than --model that is given; "" if none is.
  std::string option_given() const;
  // Returns an error if a function is not written pkg:function, or an option is given more than twice.
  Status check() const;
};

void add_own_code_options(CLI::App* command, OwnCodeOfTwo& own);

// Returns an error if a function is not written pkg:function.
Status check_own_code(const OwnCode& own);

// Sets the given options in the case. If the case has the default number of steps, it gets the default for the new options.
void put_into(const OwnCode& own, Case& c);

}  // namespace ordercheck::cli
