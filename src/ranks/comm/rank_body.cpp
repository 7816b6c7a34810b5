#include "ranks/comm/rank_body.h"

#include <algorithm>
#include <exception>
#include <utility>

#include <c10/util/Exception.h>

#include "ranks/arith/exactness.h"
#include "ranks/arith/range.h"
#include "ranks/comm/blame.h"

namespace ordercheck::ranks {
namespace {

std::string one_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  std::ranges::replace(text, '\n', ' ');
  return text;
}

}  // namespace

WorldResult thrown_by(const RankState& state, Ending ending, std::string message) {
  FlightSlot place = place_of(state);
  if (state.thrown()) {
    place.phase = state.thrown()->phase;
    place.module = state.thrown()->module;
  }
  return {.ending = ending,
          .failure = Failure{.phase = place.phase,
                             .rank = state.rank,
                             .module = place.module,
                             .operation = "",
                             .group = "",
                             .sequence = -1,
                             .message = one_line(std::move(message)),
                             .ranks = {}}};
}

std::optional<WorldResult> run_body(const std::function<void(RankState&)>& body, RankState& state) {
  try {
    body(state);
    return std::nullopt;
  } catch (const OutOfRange& thrown) {
    return thrown_by(state, Ending::out_of_range, thrown.what());
  } catch (const Unsupported& thrown) {
    return thrown_by(state, Ending::unsupported, thrown.what());
  } catch (const c10::Error& thrown) {
    return thrown_by(state, Ending::failed, thrown.what_without_backtrace());
  } catch (const std::exception& thrown) {
    return thrown_by(state, Ending::failed, thrown.what());
  } catch (...) {
    return thrown_by(state, Ending::failed, "something that is no std::exception was thrown");
  }
}

}  // namespace ordercheck::ranks
