#include "record/schema.h"

#include <array>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "base/text.h"

namespace ordercheck {
namespace {

using nlohmann::json;
using valijson::adapters::NlohmannJsonAdapter;

constexpr std::array kNames{"hello", "run", "progress", "record message", "record"};

// CMake generates these from schema/*.json, in the order of the enumeration.
constexpr std::array<const char*, 5> kTexts{
#include "record/schema_texts.inc"
};

struct Compiled {
  Compiled() {
    for (std::size_t i = 0; i < kTexts.size(); ++i) {
      const json document = json::parse(kTexts[i]);
      valijson::SchemaParser(valijson::SchemaParser::kDraft7).populateSchema(NlohmannJsonAdapter(document), schemas[i]);
    }
  }
  std::array<valijson::Schema, 5> schemas;
};

// valijson gives path parts as "[steps]" and "[0]"; print steps[0].
std::string path_of(const std::vector<std::string>& context) {
  std::string path;
  // Part 0 is the root.
  for (std::size_t i = 1; i < context.size(); ++i) {
    std::string part = context[i];
    if (part.size() > 1 && part.front() == '[') part = part.substr(1, part.size() - 2);
    const bool index = part.find_first_not_of("0123456789") == std::string::npos;
    if (index)
      path += "[" + part + "]";
    else
      path += (path.empty() ? "" : ".") + part;
  }
  return path;
}

const json* find_at(const json& root, const std::vector<std::string>& context) {
  const json* at = &root;
  for (std::size_t i = 1; i < context.size(); ++i) {
    const std::string part = context[i].substr(1, context[i].size() - 2);
    // Fewer than 10 digits, so stoul() cannot overflow.
    if (at->is_object() && at->contains(part))
      at = &(*at)[part];
    else if (at->is_array() && part.find_first_not_of("0123456789") == std::string::npos && part.size() < 10 &&
             std::stoul(part) < at->size())
      at = &(*at)[std::stoul(part)];
    else
      return nullptr;
  }
  return at;
}

}  // namespace

const char* text_of(Schema schema) { return kTexts[static_cast<std::size_t>(schema)]; }

Status check_schema(Schema schema, const json& value) {
  static const Compiled compiled;
  // The validator caches compiled patterns and is not thread safe.
  thread_local valijson::Validator validator;
  const auto index = static_cast<std::size_t>(schema);
  const NlohmannJsonAdapter target(value);
  // Collect error texts in a second pass only: most values are valid.
  if (validator.validate(compiled.schemas[index], target, nullptr)) return Done{};

  valijson::ValidationResults results;
  validator.validate(compiled.schemas[index], target, &results);
  // The innermost error is the cause; the outer ones only say that a part is invalid.
  valijson::ValidationResults::Error worst, next;
  while (results.popError(next))
    if (worst.description.empty() || next.context.size() > worst.context.size()) worst = next;
  const std::string path = path_of(worst.context);
  const json* at = find_at(value, worst.context);
  return Error{std::string(kNames[index]) + ": " + (path.empty() ? "" : "at " + one_line(path) + ": ") +
               one_line(worst.description) + (at ? " got " + excerpt(to_text(*at)) : "")};
}

namespace {

using nlohmann::json;

constexpr int kDeepest = 16;

// Thrown in the parser's callback, caught in parse_object.
struct Refused {
  std::string why;
};

// Rejects ambiguous JSON.
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
