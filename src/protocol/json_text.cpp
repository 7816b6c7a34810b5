#include "protocol/json_text.h"

#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ordercheck {
namespace {

using nlohmann::json;

constexpr int kDeepest = 16;

// Thrown inside the parser's callback, caught in parse_object.
struct Refused {
  std::string why;
};

// Refuses what JSON allows and a reader could be misled by.
class Gate {
 public:
  bool operator()(int depth, json::parse_event_t event, json& parsed) {
    switch (event) {
      case json::parse_event_t::object_start: names_.emplace_back(); [[fallthrough]];
      case json::parse_event_t::array_start:
        if (depth >= kDeepest) throw Refused{fmt::format("expected at most {} levels of nesting, got more", kDeepest)};
        break;
      case json::parse_event_t::object_end: names_.pop_back(); break;
      case json::parse_event_t::key:
        if (!names_.back().insert(parsed.get<std::string>()).second)
          throw Refused{"expected every name once, got twice " + excerpt(parsed.get<std::string>())};
        break;
      case json::parse_event_t::value:
        if (parsed.is_number_unsigned() && parsed.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max())
          throw Refused{fmt::format("expected integers within 64 bits, got {}", parsed.get<std::uint64_t>())};
        break;
      case json::parse_event_t::array_end: break;
    }
    return true;
  }

 private:
  std::vector<std::set<std::string>> names_;
};

}  // namespace

Result<json> parse_object(std::string_view text) {
  try {
    Gate gate;
    json value = json::parse(text, std::ref(gate));
    if (!value.is_object()) return Error{"expected one JSON object, got " + excerpt(text)};
    return value;
  } catch (const Refused& refused) {
    return Error{refused.why + " in " + excerpt(text)};
  } catch (const json::exception& exception) {
    const auto* at = dynamic_cast<const json::parse_error*>(&exception);
    return Error{fmt::format("expected one JSON object{}, got {}",
                             at ? fmt::format(" (it breaks off at byte {})", at->byte) : std::string(), excerpt(text))};
  }
}

std::string to_text(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

std::string excerpt(std::string_view text) {
  constexpr std::size_t kLongest = 120;
  std::string shown = "'";
  for (const unsigned char c : text.substr(0, kLongest)) {
    if (c >= 0x20 && c < 0x7f)
      shown += static_cast<char>(c);
    else
      shown += fmt::format("\\x{:02x}", c);
  }
  shown += '\'';
  if (text.size() > kLongest) shown += fmt::format(" (and {} more bytes)", text.size() - kLongest);
  return shown;
}

}  // namespace ordercheck
