#include "record/messages.h"

#include <nlohmann/json.hpp>

#include "record/case_codec.h"
#include "record/counters.h"
#include "record/record_codec.h"
#include "record/schema.h"

namespace ordercheck {
namespace {

using nlohmann::json;

json json_of(const std::optional<Fault>& fault) {
  if (!fault) return nullptr;
  return {{"kind", fault->kind},
          {"rank", fault->rank},
          {"module", fault->module},
          {"phase", name_of(fault->phase)},
          {"sequence", fault->sequence}};
}

std::optional<Fault> fault_in(const json& value) {
  if (value.is_null()) return std::nullopt;
  return Fault{.kind = value["kind"],
               .rank = value["rank"],
               .module = value["module"],
               .phase = find_named<Phase>(value["phase"].get<std::string>()).value(),
               .sequence = value["sequence"]};
}

// The lists that every run message contains besides its case: counters and phases.
json vocabulary() {
  json counters = json::array(), phases = json::array();
  for (const CounterName& counter : kCounters) counters.push_back(counter.name);
  for (const CounterName& modelled : kModelled) counters.push_back(modelled.name);
  for (const Phase phase : all_of<Phase>()) phases.push_back(name_of(phase));
  return {{"counters", counters}, {"phases", phases}};
}

json json_of(const std::vector<BuiltTransform>& transforms) {
  json all = json::array();
  for (const BuiltTransform& one : transforms) {
    json options = json::array();
    for (const BuiltOption& option : one.options) options.push_back({{"name", option.name}, {"values", json(option.values)}});
    all.push_back(
        {{"name", one.name}, {"modes", json(one.modes)}, {"scopes", json(one.scopes)}, {"options", std::move(options)}});
  }
  return all;
}

std::vector<BuiltTransform> transforms_in(const json& value) {
  std::vector<BuiltTransform> transforms;
  for (const json& said : value) {
    BuiltTransform& one = transforms.emplace_back(
        BuiltTransform{.name = said["name"], .modes = said["modes"], .scopes = said["scopes"], .options = {}});
    for (const json& option : said["options"]) one.options.push_back({.name = option["name"], .values = option["values"]});
  }
  return transforms;
}

Hello hello_in(const json& value) {
  const auto words = [&](const char* name) { return value[name].get<std::vector<std::string>>(); };
  return {.engine = value["engine"],
          .versions = words("versions"),
          .devices = words("devices"),
          .absent_device = value["absent_device"],
          .transforms = transforms_in(value["transforms"]),
          .models = words("models"),
          .own_code = value["own_code"],
          .faults = words("faults"),
          .max_ranks = value["max_ranks"],
          .content_hash = value["content_hash"]};
}

}  // namespace

std::string encode(const Hello& message) {
  return to_text({{"type", "hello"},
                  {"protocol", kProtocolVersion},
                  {"engine", message.engine},
                  {"versions", json(message.versions)},
                  {"devices", json(message.devices)},
                  {"absent_device", message.absent_device},
                  {"transforms", json_of(message.transforms)},
                  {"models", json(message.models)},
                  {"own_code", message.own_code},
                  {"mutants", json::array()},  // the PyTorch driver sends this key
                  {"faults", json(message.faults)},
                  {"max_ranks", message.max_ranks},
                  {"content_hash", message.content_hash}});
}

std::string encode(const Run& message) {
  json run = {{"type", "run"},
              {"id", message.id},
              {"case", json_of(message.subject)},
              {"keep", name_of(message.keep)},
              {"mutant", ""},  // the PyTorch driver reads this key
              {"fault", json_of(message.fault)},
              {"flight_file", message.flight_file},
              {"values_folder", message.values_folder},
              {"coarse_factors", message.coarse_factors}};
  run.update(vocabulary());
  return to_text(run);
}

std::string encode(const Progress& message) {
  return to_text({{"type", "progress"}, {"id", message.id}, {"step", message.step}});
}

std::string encode(const Answer& message) {
  return to_text({{"type", "record"}, {"id", message.id}, {"record", json_of(message.record)}});
}

Result<WorkerMessage> decode_worker(std::string_view line) {
  const Result<json> parsed = parse_object(line);
  if (!parsed) return parsed.error();
  const json& value = *parsed;
  const auto type = value.find("type");
  if (type == value.end() || !type->is_string())
    return Error{"expected a message with a type (hello, progress or record), got " + excerpt(line)};
  if (*type == "hello") {
    if (Status checked = check_schema(Schema::hello, value); !checked) return checked.error();
    return WorkerMessage(hello_in(value));
  }
  if (*type == "progress") {
    if (Status checked = check_schema(Schema::progress, value); !checked) return checked.error();
    return WorkerMessage(Progress{.id = value["id"], .step = value["step"]});
  }
  if (*type == "record") {
    if (Status checked = check_schema(Schema::answer, value); !checked) return checked.error();
    Result<Record> record = record_of(value["record"]);
    if (!record) return record.error();
    return WorkerMessage(Answer{.id = value["id"], .record = std::move(record).value()});
  }
  return Error{"expected a message of type hello, progress or record, got " + excerpt(line)};
}

Result<Run> decode_run(std::string_view line) {
  const Result<json> parsed = parse_object(line);
  if (!parsed) return parsed.error();
  const json& value = *parsed;
  if (Status checked = check_schema(Schema::run, value); !checked) return checked.error();
  // Both sides must have the same counters and phases.
  const json owed = vocabulary();
  for (const auto& [name, expected] : owed.items())
    if (value[name] != expected)
      return Error{"run: at " + name + ": expected " + excerpt(to_text(expected)) + ", got " + excerpt(to_text(value[name]))};
  Result<Case> subject = case_of(value["case"]);
  if (!subject) return subject.error();
  return Run{.id = value["id"],
             .subject = std::move(subject).value(),
             .keep = find_named<Keep>(value["keep"].get<std::string>()).value(),
             .fault = fault_in(value["fault"]),
             .flight_file = value["flight_file"],
             .values_folder = value["values_folder"],
             .coarse_factors = value["coarse_factors"]};
}

}  // namespace ordercheck
