// Measures how far a float32 run is from a float64 single-rank run, and compares that with the distance that rounding alone
// causes (the noise floor). Float32 runs of two layouts never agree bitwise. A run far above the floor gets the verdict
// `differs`.
//
// Distances are relative, ||g - g64|| / ||g64|| of whole tensors, so that a wrong factor shows in small tensors too. The noise
// floor is the largest distance among single-rank runs with the stack's dtype and numeric transforms and other splits of the
// batch. It is at least the noise of all gradients of that step together. Rounding of one small tensor can cancel by luck, that
// of a whole model cannot.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ordercheck {

// A run gets the verdict `differs` if a value is above this multiple of its noise floor. 280 legal layouts of the native
// engine, with 20 seeds, stayed below 4. The rest is room for meshes that round more often than one rank. Errors grow with the
// square root of the number of roundings, so 16 allows for 256 per rounding. The price: a bug with an error below 16 times the
// floor still gets `close`.
inline constexpr double kFarBeyond = 16;

// The smallest noise floor that is used after an optimizer step. AdamW divides by the gradient's size, so near 0 a rounding
// error flips an element's step. This changes every later gradient of a small model by up to 4e-4. Whether it flips depends on
// the layout, so splits of the batch do not sample it. Gradients of the first step are unaffected.
inline constexpr double kAfterAStep = 1e-4;

// What is measured, in the order of a training step.
enum class Measured { loss, gradient, gradient_norm, parameter };

const char* name_of(Measured kind);  // "loss", "gradient", "gradient norm", "parameter"

// The distance of one tensor or number between two runs.
struct Away {
  Measured kind = Measured::gradient;
  std::string name;     // of the parameter; "" for a loss or norm
  int step = 0;         // the last step for a parameter's final value
  double error = 0;     // ||g - g64||; infinite if not finite
  double size = 0;      // ||g64||
  bool absent = false;  // the run lacks the tensor, or has another shape
  friend bool operator==(const Away&, const Away&) = default;
};

// error / size. 0 if the error is 0; infinite if only `size` is 0, if the error is not finite, or if `absent`.
double distance_of(const Away& away);

// "gradient of layers.0.wq.weight in step 0"
std::string place_of(const Away& away);

// The distances of one float32 run to the float64 run with the same seed; all runs list the same entries in the same order.
using Distances = std::vector<Away>;

// The distance of one tensor or number, and its noise floor.
struct Held {
  Away away;
  double floor = 0;
  friend bool operator==(const Held&, const Held&) = default;
};

double times_floor(const Held& held);

// The result of the comparison in float32 arithmetic.
struct Closeness {
  std::string no_floor = "";        // why there is no noise floor; then the other members are empty
  std::vector<Held> farthest = {};  // per Measured kind, the entry that is most times its floor
  std::vector<Held> beyond = {};    // all entries above kFarBeyond, in step order
  int gradients = 0;                // number of tensors with gradients
  friend bool operator==(const Closeness&, const Closeness&) = default;
};

// The noise floor of each tensor and number: its largest distance over `runs`, but at least the distance of all gradients of
// its step together (for parameters: of all parameters). After an optimizer step it is at least kAfterAStep, before that at
// least the unit roundoff of float32. Empty if the runs list different entries.
std::vector<double> noise_floor(const std::vector<Distances>& runs);

// The entry of `beyond` to report, from its first step: the gradient farthest in multiples of its floor, else any entry.
// `beyond` must not be empty.
const Held& worst_of(const std::vector<Held>& beyond);

// Compares the distances of a run with their noise floors. Sets `no_floor` if a floor is missing or not finite.
Closeness held_against_floor(const Distances& subject, const std::vector<double>& floor);

// "gradient of layers.0.wq.weight in step 0 is 0.5 from a float64 single-rank run; rounding explains 8.4e-07"
std::string describe(const Held& held);

// "at most 0.8 times the noise floor away": the largest multiple over all entries.
std::string farthest_in_words(const Closeness& closeness);

// "every number is within 16 times its noise floor of a float64 single-rank run". The message of the verdict `close`. It omits
// the distance, which depends on the processor and would change committed evidence.
std::string describe_what_is_close();

}  // namespace ordercheck
