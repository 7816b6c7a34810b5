// The user's functions that a case may name besides the model: one table for case texts, options, project files and messages.
#pragma once

#include <array>
#include <string>

namespace ordercheck {

// `Holder` has one string per function, "package.module:function" or "" if none.
template <typename Holder>
struct OwnFunction {
  const char* key;  // of a case's text, a run message and .ordercheck.toml; the option is "--" and the key
  std::string Holder::* member;
  const char* help;  // of the option
};

template <typename Holder>
inline constexpr std::array<OwnFunction<Holder>, 5> kOwnFunctions{{
    {"apply", &Holder::apply, "Your pkg:function that applies the stack to your model (--engine pytorch)"},
    {"batch", &Holder::batch, "Your pkg:function that makes a batch for --model; default: tokens"},
    {"loss", &Holder::loss, "Your pkg:function of output and batch that returns the loss; default: cross entropy"},
    {"optimizer", &Holder::optimizer, "Your pkg:function of the model that returns its optimizer; default: AdamW"},
    {"step", &Holder::step,
     "Your pkg:function of model, optimizer, batches and mesh that does a whole training step; default: ordercheck's trainer"},
}};

}  // namespace ordercheck
