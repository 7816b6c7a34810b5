#include "record/case_codec.h"

#include <algorithm>
#include <cassert>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "record/schema.h"
#include "stack/mesh.h"
#include "stack/own_functions.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

using nlohmann::json;

const char* name_of(TransformKind kind) { return kind == TransformKind::layout ? "layout" : "numeric"; }

json json_of(const Item& item) {
  json degrees = json::array();
  for (const Degree& degree : item.degrees) degrees.push_back(degree.value);
  json options = json::array();
  for (const Option& option : item.options) options.push_back({{"name", option.name}, {"value", option.value}});
  const TransformInfo* info = find_transform(item.name);
  assert(info != nullptr && "a case that is asked for names transforms of the catalogue");
  return {{"name", item.name},
          {"degrees", degrees},
          {"mode", item.mode},
          {"options", options},
          {"scope", name_of(scope_of(item))},
          {"axes", json(info->axes)},
          {"kind", name_of(info->kind)},
          {"casts", casting_part(item)}};
}

json items_json(const Stack& stack) {
  json items = json::array();
  for (const Item& item : stack.items) items.push_back(json_of(item));
  return items;
}

// A list, because JSON objects are unordered and rank numbers follow the axis order.
json mesh_json(const Stack& stack) {
  const Mesh mesh = mesh_of(stack);
  json axes = json::array();
  for (std::size_t axis = 0; axis < kMeshAxes.size(); ++axis)
    axes.push_back({{"axis", kMeshAxes[axis]}, {"degree", mesh.degrees[axis]}, {"splits", kSplitAlongAxis[axis]}});
  return axes;
}

}  // namespace

json json_of(const Case& subject) {
  const Settings& settings = subject.settings;
  json made = {{"text", print(subject)},
               {"engine", subject.engine},
               {"model", subject.model},
               {"reference_apply", subject.reference_apply},
               {"reference_ranks", subject.reference_ranks},
               {"widen", subject.widen},
               {"items", items_json(subject.stack)},
               {"on_one_rank", items_json(reference_of(subject).stack)},
               {"mesh", mesh_json(subject.stack)},
               {"settings",
                {{"arithmetic", name_of(settings.arithmetic)},
                 {"grid", settings.grid},
                 {"seed", std::to_string(settings.seed)},
                 {"steps", settings.steps},
                 {"accumulation", settings.accumulation}}}};
  for (const auto& function : kOwnFunctions<Case>) made[function.key] = subject.*function.member;
  return made;
}

Result<Case> case_of(const json& value) {
  const auto& text = value["text"].get_ref<const std::string&>();
  Result<Case> subject = parse_case(text);
  if (!subject) return Error{"run: at case.text: " + split(subject.error().message, '\n').front()};
  // Encode the parsed text again: both forms must agree.
  const json spelled = json_of(*subject);
  for (const auto& [name, expected] : spelled.items())
    if (value[name] != expected)
      return Error{"run: at case." + name + ": expected what the text " + excerpt(text) + " says, " +
                   excerpt(to_text(expected)) + ", got " + excerpt(to_text(value[name]))};
  return subject;
}

namespace {

constexpr const char* kEveryOption = "*";

// The part of the option that the engine does not implement; "" if it implements the option with this value.
std::string unbuilt_option(const Option& option, const std::vector<BuiltOption>& built) {
  const auto found =
      std::ranges::find_if(built, [&](const BuiltOption& one) { return one.name == option.name || one.name == kEveryOption; });
  if (found == built.end()) return option.name;
  const auto is_built = [&](const std::string& value) { return contains(found->values, value); };
  if (found->values.empty() || std::ranges::all_of(split(option.value, '+'), is_built)) return "";
  return option.name + "=" + option.value;
}

bool restricts(const std::vector<std::string>& built, const std::string& asked) {
  return !built.empty() && !contains(built, asked);
}

}  // namespace

const BuiltTransform* find_built(const std::vector<BuiltTransform>& built, const std::string& name) {
  const auto found = std::ranges::find(built, name, &BuiltTransform::name);
  return found == built.end() ? nullptr : &*found;
}

std::string unbuilt_part(const Item& item, const std::vector<BuiltTransform>& built) {
  const BuiltTransform* transform = find_built(built, item.name);
  if (transform == nullptr) return item.name;
  if (restricts(transform->modes, item.mode)) return item.name + "=" + item.mode;
  for (const Option& option : item.options)
    if (const std::string part = unbuilt_option(option, transform->options); !part.empty()) return item.name + ":" + part;
  const std::string scope = name_of(scope_of(item));
  return restricts(transform->scopes, scope) ? item.name + "@" + scope : "";
}

std::vector<std::string> unbuilt_parts(const Stack& stack, const std::vector<BuiltTransform>& built) {
  std::vector<std::string> parts;
  for (const Item& item : stack.items)
    if (const std::string part = unbuilt_part(item, built); !part.empty() && !contains(parts, part)) parts.push_back(part);
  return parts;
}

}  // namespace ordercheck
