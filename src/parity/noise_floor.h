// Float32 arithmetic: how far a run's numbers are from a float64 single-rank run, held against how far rounding alone takes
// them. Nothing here is compared bit for bit: in float32 no two layouts share their bits, and being far is a verdict.
//
// Distances are relative and of whole tensors, ||g - g64|| / ||g64||, so that a tensor that is off by a factor is seen however
// small it is. The noise floor of a number is the largest distance among single-rank runs of the stack's own dtype and
// numeric transforms with other splits of the batch. It is at least the noise of all gradients of that step taken together:
// rounding of one small tensor can cancel by luck, rounding of a whole model cannot.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ordercheck {

// Beyond the floor times this a run differs. 280 legal layouts of the native engine, of 20 seeds, stayed within 4 times; the
// rest is room for a mesh that rounds more often than one rank does, where errors grow with the root of the number of
// roundings: 16 is 256 roundings for one. What it costs is sight: an error below 16 times the floor is `close`.
inline constexpr double kFarBeyond = 16;

// After a step of the optimizer no floor is below this. AdamW divides by the size of a gradient: where one element's is near
// 0, a rounding turns its step around, and that one element moves every gradient after it, of a small model by up to 4e-4.
// Whether it turns is luck of the layout, which no split of the batch samples. The first step's gradients are free of it.
inline constexpr double kAfterAStep = 1e-4;

// What is measured, in the order of a step.
enum class Measured { loss, gradient, gradient_norm, parameter };

const char* name_of(Measured kind);  // "loss", "gradient", "gradient norm", "parameter"

// A tensor or a number of the two runs, laid side by side.
struct Away {
  Measured kind = Measured::gradient;
  std::string name;     // of the parameter; "" of a loss or a norm
  int step = 0;         // the last one, of a parameter's final value
  double error = 0;     // ||g - g64||; infinite where it is not finite
  double size = 0;      // ||g64||
  bool absent = false;  // the run has no such tensor, or one of another shape
  friend bool operator==(const Away&, const Away&) = default;
};

// error / size; of two zeros 0; infinite where zeros alone were owed, and of what is absent.
double distance_of(const Away& away);

// "gradient of layers.0.wq.weight in step 0"
std::string place_of(const Away& away);

// One run against the float64 run of its seed: every record lists the same things in the same order.
using Distances = std::vector<Away>;

// A number of the subject and its floor.
struct Held {
  Away away;
  double floor = 0;
  friend bool operator==(const Held&, const Held&) = default;
};

double times_floor(const Held& held);

// What a verdict in float32 arithmetic is made of.
struct Closeness {
  std::string no_floor = "";        // why there is none: then nothing below is filled
  std::vector<Held> farthest = {};  // of every kind, the one that is most times its floor away
  std::vector<Held> beyond = {};    // all that are more than kFarBeyond times away, as a step makes them
  int gradients = 0;                // of how many tensors there are gradients
  friend bool operator==(const Closeness&, const Closeness&) = default;
};

// The largest distance of each number over `runs`, at least the noise of its step's gradients (of all parameters, of a
// parameter), and at least kAfterAStep, or before any the unit roundoff of float32. Empty when the runs do not list the same
// things.
std::vector<double> noise_floor(const std::vector<Distances>& runs);

// What to name of `beyond`, which holds something: of the first step in it, the gradient that is most times its floor away;
// where no gradient is beyond, whatever is.
const Held& worst_of(const std::vector<Held>& beyond);

// `no_floor` where a floor is not finite or is missing.
Closeness held_against_floor(const Distances& subject, const std::vector<double>& floor);

// "gradient of layers.0.wq.weight in step 0 is 0.5 from a float64 single-rank run; rounding explains 8.4e-07"
std::string describe(const Held& held);

// "at most 0.8 times the noise floor away"; of several kinds the farthest.
std::string farthest_in_words(const Closeness& closeness);

// Of what is close: "every number is within 16 times its noise floor of a float64 single-rank run". How far the farthest number is
// depends on the processor, so it stands in Closeness alone and not in the words that a table keeps.
std::string describe_what_is_close();

}  // namespace ordercheck
