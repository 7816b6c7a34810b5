// What a run of a case showed, once it has been compared. Undecided is never green.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "parity/noise_floor.h"
#include "parity/record.h"
#include "stack/case.h"

namespace ordercheck {

//   equal     bitwise equal to the single-rank reference, and every transform had its effect: a word of exact arithmetic alone
//   close     native arithmetic: no farther from a float64 single-rank run than rounding explains, and every transform had
//             its effect
//   differs   it ran, and at least one bit owed is not there, or it is farther from one rank than rounding explains, or it
//             has a NaN, an infinity or a range exit where one rank has none
//   fails     it raised, or its ranks disagreed about a collective, or the worker died of it
//   hangs     its ranks waited for each other for ever, or until the clock ran out
//   ignored   bitwise equal, but a transform silently had no effect
//   unstable  not even equal to itself
//   unrun     undecided: nothing ran, one rank's numbers are not finite or left the range of exact arithmetic too, or native
//             arithmetic has no noise floor
enum class Verdict { equal, close, differs, fails, hangs, ignored, unstable, unrun };

const char* name_of(Verdict verdict);
std::optional<Verdict> find_verdict(const std::string& name);

// What the rules mean by `equal`, as far as a run's arithmetic can show it: equal, or close.
bool shows_parity(Verdict verdict);

// The first thing in which two records differ. Step by step, within a step: loss, gradients in the order of the model,
// gradient norm; then the parameters after the last step.
struct Difference {
  std::string what;  // "loss", "gradient of layers.0.attention.wq.weight", "parameter ...", "gradient norm"
  int step = 0;
  int rank = -1;         // where it is of one rank
  std::string expected;  // hex of bits or hash; in native arithmetic decimals
  std::string got;
  friend bool operator==(const Difference&, const Difference&) = default;
};

// Bit for bit: loss and gradient norm of every step and every rank, every gradient, every parameter. Nothing when they
// agree. With equally many ranks each is held against its like; otherwise each rank of `got` against rank 0 of
// `expected`. Both records must have completed.
std::optional<Difference> first_difference(const Record& expected, const Record& got);

// What is far beyond its noise floor, as a difference: decimals instead of bits.
Difference difference_of(const Held& held);

// How many of the full gradients and final parameters differ, for messages: "21 of 21 gradients, 21 of 21 parameters".
std::string extent_of_difference(const Record& expected, const Record& got);

// What a transform owes to show at degree 2 and more (design: effects), measured against the twin without it.
struct Effect {
  std::string transform;  // the item, printed
  bool defined = true;    // false: nothing is stated about it, or nothing of it was measured; it is never found ignored
  bool present = false;   // all that it owes was seen
  bool partly = false;    // not all, but some of it
  std::string evidence;   // "recomputed 118 operators, saved bytes 51200 of 88064": the counters, in words
  friend bool operator==(const Effect&, const Effect&) = default;
};

// The effect of item `index` of the stack of `c`. `with` must have completed. Without a twin that completed, only what
// `with` shows alone is judged, and the evidence says so.
Effect effect_of(const Case& c, std::size_t index, const Record& with, const std::optional<Record>& without);

// Items without their effect. One that did nothing also moves what its neighbours are measured by, so those that show
// nothing at all, where there are any; else those that show a part.
std::vector<Effect> lost_effects(const std::vector<Effect>& effects);

// Whether the numbers are held against one rank: in exact arithmetic where they are owed; in plain arithmetic always,
// since that it differs is what this control is for; in native arithmetic never bit for bit.
bool is_held_against_one_rank(const Case& c, const Record& record);

// Whether distances from one rank decide: in native arithmetic.
bool is_held_against_noise_floor(const Case& c);

// Everything a verdict is made of.
struct Comparison {
  Case subject;
  Record first;                              // the subject
  std::optional<Record> again;               // the subject, once more
  std::optional<Record> reference;           // one rank, none of the layout transforms
  std::optional<Record> recommended;         // same mesh, recommended order; nothing when the subject is it
  std::vector<std::optional<Record>> twins;  // one an item; nothing where the twin did not complete
  std::optional<Closeness> closeness = {};   // of native arithmetic
};

struct Judgement {
  Verdict verdict = Verdict::unrun;
  std::string reason;  // one sentence: the failure, the first difference, the effect that is missing
  std::optional<Difference> difference;
  std::vector<Effect> effects;
  std::optional<Closeness> closeness;  // of native arithmetic
};

// Order of judgement: did it end; is it equal to itself; are its numbers finite where the reference's are; is it equal to
// the reference, or in native arithmetic not far from it; do replicas agree; did trainable parameters change; to the
// recommended order, where one rank is no judge; was there a noise floor; has every transform its effect. A failing run is
// judged by its first record alone.
Judgement judge(const Comparison& comparison);

}  // namespace ordercheck
