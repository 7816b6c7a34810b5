#include "import/recording/recording.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/displayable.h"
#include "base/text.h"
#include "import/settings.h"

namespace ordercheck {
namespace {

using Json = nlohmann::json;

constexpr const char* kSchema = "ordercheck/recording/1";
constexpr std::size_t kLongestText = 1000;
constexpr int kMostCounted = 1'000'000'000;

// Reads the fields of one object. The first mistake of the whole file is kept in `wrong`, and later reads return defaults.
class Fields {
 public:
  Fields(const Json& object, std::string path, std::string& wrong) : object_(object), path_(std::move(path)), wrong_(wrong) {
    if (!object.is_object()) fail("", "an object");
  }

  const Json* find(const char* name) const {
    if (!object_.is_object()) return nullptr;
    const auto found = object_.find(name);
    return found == object_.end() || found->is_null() ? nullptr : &*found;
  }

  std::string text(const char* name) {
    const Json* value = find(name);
    if (value == nullptr) return "";
    if (!value->is_string() || value->get_ref<const std::string&>().size() > kLongestText) return fail(name, "a text"), "";
    return one_line(displayable(value->get<std::string>()));
  }

  bool flag(const char* name) {
    const Json* value = find(name);
    if (value == nullptr) return false;
    if (!value->is_boolean()) return fail(name, "true or false"), false;
    return value->get<bool>();
  }

  // 0 if the field is absent.
  int count(const char* name) { return find(name) == nullptr ? 0 : number(name, 0); }

  // At most a billion by default, so that sums of counts fit.
  int number(const char* name, int least, int most = kMostCounted) {
    const Json* value = find(name);
    const bool is_number = value != nullptr && value->is_number_integer();
    const auto found = is_number ? value->get<std::int64_t>() : least - std::int64_t{1};
    if (found < least || found > most) return fail(name, fmt::format("a whole number from {} to {}", least, most)), least;
    return static_cast<int>(found);
  }

  // An index below `size`; unset if the field is absent or null.
  std::optional<std::size_t> index(const char* name, std::size_t size) {
    if (find(name) == nullptr) return std::nullopt;
    if (size == 0) return fail(name, "no index: the list that it is of is empty"), std::nullopt;
    return static_cast<std::size_t>(number(name, 0, static_cast<int>(size) - 1));
  }

  std::optional<Origin> place(const char* name) {
    const Json* value = find(name);
    if (value == nullptr) return std::nullopt;
    Fields place(*value, path_of(name), wrong_);
    return Origin{.file = place.text("file"), .line = place.number("line", 0)};
  }

  std::vector<std::string> texts(const char* name) {
    std::vector<std::string> all;
    for (const Json& one : list(name)) {
      if (!one.is_string()) return fail(name, "a list of texts"), all;
      all.push_back(one_line(displayable(one.get<std::string>())));
    }
    return all;
  }

  std::map<std::string, int> counts(const char* name) {
    std::map<std::string, int> all;
    const Json* value = find(name);
    if (value == nullptr) return all;
    Fields counted(*value, path_of(name), wrong_);
    if (value->is_object())
      for (const auto& item : value->items()) all[one_line(displayable(item.key()))] = counted.number(item.key().c_str(), 0);
    return all;
  }

  const Json& list(const char* name) {
    static const Json none = Json::array();
    const Json* value = find(name);
    if (value == nullptr) return none;
    if (!value->is_array()) return fail(name, "a list"), none;
    return *value;
  }

  // The fields of each element of a list.
  template <class Read>
  void each(const char* name, Read read) {
    std::size_t at = 0;
    for (const Json& one : list(name)) {
      if (!wrong_.empty()) return;
      Fields fields(one, fmt::format("{}[{}]", path_of(name), at++), wrong_);
      read(fields);
    }
  }

  std::string path_of(const char* name) const { return path_.empty() ? name : path_ + "." + name; }
  std::string& wrong() const { return wrong_; }

  void fail(const char* name, const std::string& expected) {
    if (!wrong_.empty()) return;
    const Json* value = *name == '\0' ? &object_ : find(name);
    std::string got = value == nullptr ? "nothing" : value->dump(-1, ' ', true, Json::error_handler_t::replace);
    if (got.size() > 80) got = got.substr(0, 77) + "...";
    const std::string where = *name == '\0' ? path_ : path_of(name);
    wrong_ = fmt::format("{}: expected {}, got {}", where.empty() ? "the file" : where, expected, got);
  }

 private:
  const Json& object_;
  std::string path_;
  std::string& wrong_;
};

std::string flat(const Json& value) {
  if (value.is_string()) return one_line(displayable(value.get<std::string>()));
  if (value.is_array()) {
    std::vector<std::string> parts;
    for (const Json& one : value) parts.push_back(one.is_structured() ? "" : flat(one));
    return join(parts, "+");
  }
  return value.dump(-1, ' ', true, Json::error_handler_t::replace);
}

void read_options(const Json& options, RecordedSite& site) {
  if (!options.is_object()) return;
  for (const auto& [name, value] : options.items()) {
    if (name == "plan" && value.is_object()) {
      for (const auto& [path, style] : value.items()) site.plan[one_line(displayable(path))] = flat(style);
    } else if (name == "missed" && value.is_array()) {
      for (const Json& path : value) site.missed.push_back(flat(path));
    } else if (value.is_object()) {
      for (const auto& [inner, one] : value.items())
        site.options[fmt::format("{}.{}", name, inner)] = one.is_object() ? "" : flat(one);
    } else if (!value.is_null()) {
      site.options[name] = flat(value);
    }
  }
}

RecordedModel model_of(Fields& fields, std::size_t meshes) {
  RecordedModel model{.class_name = fields.text("class")};
  if (const Json* modules = fields.find("modules"); modules != nullptr && modules->is_object())
    for (const auto& [pattern, value] : modules->items()) {
      Fields one(value, fields.path_of("modules") + "." + pattern, fields.wrong());
      RecordedModules& row = model.modules[one_line(displayable(pattern))];
      row.class_name = one.text("class");
      row.count = one.number("count", 0);
      row.wrapped = one.count("wrapped");
      row.compiled = one.count("compiled");
      row.checkpointed = one.count("checkpointed");
      row.recomputed = one.count("recomputed");
    }
  fields.each("parameters", [&](Fields& one) {
    model.parameters.push_back(
        {.mesh = one.index("mesh", meshes), .placements = one.texts("placements"), .names = one.counts("names")});
  });
  model.without_gradient = fields.counts("without_gradient");
  return model;
}

Recording recording_of(Fields& fields) {
  Recording made{.state = fields.text("state"), .has_stepped = fields.flag("stepped"), .ranks = fields.number("ranks", 1)};
  if (const Json* versions = fields.find("versions"); versions != nullptr && versions->is_object())
    for (const auto& [name, version] : versions->items()) made.versions[one_line(displayable(name))] = flat(version);
  made.absent = fields.texts("absent");
  made.problems = fields.texts("problems");
  fields.each("meshes", [&](Fields& one) {
    RecordedMesh mesh{.names = one.texts("names"), .sizes = {}};
    for (const Json& size : one.list("sizes")) {
      const bool is_size = size.is_number_integer() && size.get<std::int64_t>() > 0 && size.get<std::int64_t>() < 1'000'000'000;
      if (!is_size) return one.fail("sizes", "a list of sizes above 0");
      mesh.sizes.push_back(size.get<int>());
    }
    made.meshes.push_back(std::move(mesh));
  });
  fields.each("sites", [&](Fields& one) {
    RecordedSite site{.call = one.text("call"),
                      .user = one.place("user"),
                      .framework = one.place("framework"),
                      .mesh = one.index("mesh", made.meshes.size())};
    if (const Json* options = one.find("options")) read_options(*options, site);
    made.sites.push_back(std::move(site));
  });
  fields.each("models", [&](Fields& one) { made.models.push_back(model_of(one, made.meshes.size())); });
  fields.each("events", [&](Fields& one) {
    const auto site = one.index("site", made.sites.size());
    if (!site) return one.fail("site", "an index of sites");
    RecordedEvent event{.site = *site, .model = one.index("model", made.models.size())};
    if (one.find("module") != nullptr) event.module = one.text("module");
    event.class_name = one.text("class");
    event.raised = one.text("raised");
    made.events.push_back(std::move(event));
  });
  fields.each("optimizers", [&](Fields& one) {
    const auto event = one.index("event", made.events.size());
    if (!event) return one.fail("event", "an index of events");
    made.optimizers.push_back({.event = *event,
                               .parameters = one.number("parameters", 0),
                               .not_in_model = one.number("not_in_model", 0),
                               .has_stepped = one.flag("stepped")});
    for (const auto& [name, count] : one.counts("not_held")) made.not_held[name] = count;
  });
  if (const Json* compile = fields.find("compile")) {
    Fields one(*compile, "compile", fields.wrong());
    made.graphs = RecordedGraphs{.graphs = one.number("graphs", 0), .calls = one.number("calls", 0), .breaks = {}};
    one.each("breaks", [&](Fields& row) { made.graphs->breaks.push_back({row.text("why"), row.place("place")}); });
  }
  if (const Json* raised = fields.find("raised")) {
    Fields one(*raised, "raised", fields.wrong());
    made.raised = one.text("type");
    made.raised_at = one.place("place");
  }
  return made;
}

}  // namespace

bool is_recording(std::string_view text) {
  return text.substr(0, 200).find(fmt::format("\"{}\"", kSchema)) != std::string_view::npos;
}

Result<Recording> parse_recording(std::string_view text, const std::string& file) {
  const auto checked = checked_text(text, file);
  if (!checked) return checked.error();
  // The depth is bounded before nlohmann recurses in destructors.
  int depth = 0;
  const auto is_shallow = [&](int level, Json::parse_event_t, Json&) { return (depth = std::max(depth, level)) <= 32; };
  const Json json = Json::parse(*checked, is_shallow, false);
  if (json.is_discarded() || depth > 32)
    return Error{fmt::format("{}: no JSON; expected the file that `ordercheck record` writes", one_line(file))};
  std::string wrong;
  Fields fields(json, "", wrong);
  if (wrong.empty() && fields.text("schema") != kSchema) fields.fail("schema", kSchema);
  Recording made;
  if (wrong.empty()) made = recording_of(fields);
  if (!wrong.empty()) return Error{fmt::format("{}: {}; record the job again", one_line(file), one_line(displayable(wrong)))};
  return made;
}

std::string option(const RecordedSite& site, const std::string& name) {
  const auto found = site.options.find(name);
  return found == site.options.end() ? "" : found->second;
}

Origin place_of(const RecordedSite& site) { return site.user ? *site.user : site.framework.value_or(Origin{}); }

std::string places_in_words(const RecordedSite& site) {
  if (!site.user || !site.framework) return in_words(place_of(site));
  return fmt::format("{} ({})", in_words(*site.user), in_words(*site.framework));
}

std::string torch_of(const Recording& recording) {
  const auto found = recording.versions.find("torch");
  return found == recording.versions.end() ? "" : found->second.substr(0, found->second.find('+'));
}

}  // namespace ordercheck
