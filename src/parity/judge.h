// Judges a run of a case by everything that it is held against.
#pragma once

#include <optional>
#include <vector>

#include "parity/observation.h"
#include "stack/case.h"

namespace ordercheck {

// Whether the numbers are held against one rank: in exact arithmetic where they are owed; in plain arithmetic always,
// since that it differs is what this control is for; in float32 arithmetic never bit for bit.
bool is_held_against_one_rank(const Case& c, const Record& record);

// Whether distances from one rank decide: in float32 arithmetic.
bool is_held_against_noise_floor(const Case& c);

// Runs in float32 arithmetic of a case whose compiler calls operators in exact arithmetic: here it runs the code that it writes.
// Effects, counters and collectives are read off them, and their numbers are held against the noise floor.
struct CompilerCode {
  Record with;
  std::vector<std::optional<Record>> twins;  // one an item; nothing where the twin did not complete
  std::optional<Closeness> closeness = {};   // of `with`, once it completed
};

// Everything a verdict is made of.
struct Comparison {
  Case subject;
  Record first;                                    // the subject
  std::optional<Record> again;                     // the subject, once more
  std::optional<Record> reference;                 // one rank, none of the layout transforms
  std::optional<Record> recommended;               // same mesh, recommended order; nothing when the subject is it
  std::vector<std::optional<Record>> twins;        // one an item; nothing where the twin did not complete
  std::optional<Closeness> closeness = {};         // of float32 arithmetic
  std::optional<CompilerCode> compiler_code = {};  // of a case whose compiler's own code exact arithmetic does not run
};

// What the run showed, as an observation without its engine and version. Order of judgement: did it end; is it equal to
// itself; are its numbers finite where the reference's are; is it equal to the reference, or in float32 arithmetic not far
// from it; do replicas agree; did trainable parameters change; to the recommended order, where one rank is no judge; was
// there a noise floor; did the compiler's own code end, is it not far from one rank, do its replicas agree, had it a noise
// floor; has every transform its effect. A failing run is judged by its first record alone.
Observation judge(const Comparison& comparison);

// Whether it differs in the compiler's own code alone: what was compared bit for bit does not.
bool differs_in_compiler_code(const Comparison& comparison);

}  // namespace ordercheck
