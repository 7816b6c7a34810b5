#include "record/record_codec.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "record/counters.h"
#include "record/messages.h"
#include "record/schema.h"

namespace ordercheck {
namespace {

using nlohmann::json;

template <class T, class F>
json list_of(const std::vector<T>& values, F&& write) {
  json list = json::array();
  for (const T& value : values) list.push_back(write(value));
  return list;
}

template <class F>
auto vector_of(const json& list, F&& read) {
  std::vector<decltype(read(list))> values;
  values.reserve(list.size());
  for (const json& value : list) values.push_back(read(value));
  return values;
}

json json_of(const Bits64& bits) { return hex(bits); }
json json_of(const Hash128& hash) { return hex(hash); }
json json_of_bits(const std::vector<Bits64>& bits) {
  return list_of(bits, [](const Bits64& b) { return json_of(b); });
}

json json_of(const Failure& failure) {
  return {{"phase", name_of(failure.phase)}, {"rank", failure.rank},        {"module", failure.module},
          {"operation", failure.operation},  {"group", failure.group},      {"sequence", failure.sequence},
          {"message", failure.message},      {"ranks", json(failure.ranks)}};
}

json json_of(const StepRecord& step) {
  return {{"loss", json_of_bits(step.loss)}, {"gradient_norm", json_of_bits(step.gradient_norm)}};
}

json json_of(const ParameterRecord& parameter) {
  return {{"name", parameter.name},
          {"shape", json(parameter.shape)},
          {"gradient", list_of(parameter.gradient, [](const Hash128& h) { return json_of(h); })},
          {"value", json_of(parameter.value)},
          {"changed", parameter.changed},
          {"frozen", parameter.frozen},
          {"has_gradient", parameter.has_gradient},
          {"replicas_agree", parameter.replicas_agree}};
}

json json_of(const BufferRecord& buffer) {
  return {{"name", buffer.name},
          {"shape", json(buffer.shape)},
          {"value", json_of(buffer.value)},
          {"local", buffer.local},
          {"replicas_agree", buffer.replicas_agree}};
}

json json_of(const CollectiveCount& count) {
  return {{"kind", count.kind},
          {"group", count.group},
          {"phase", name_of(count.phase)},
          {"count", count.count},
          {"bytes", count.bytes}};
}

json json_of(const Counters& counters) {
  json object = json::object();
  for (const CounterName& counter : kCounters) object[counter.name] = counters.*counter.value;
  for (const CounterName& modelled : kModelled) object[modelled.name] = counters.*modelled.value;
  return object;
}

json json_of(const TraceEntry& entry) {
  return {{"step", entry.step},         {"phase", name_of(entry.phase)}, {"module", entry.module},
          {"shape", json(entry.shape)}, {"hash", json_of(entry.hash)},   {"file", entry.file}};
}

// The schema has checked hex patterns and enumeration names, so value() is safe.
Bits64 bits_in(const json& value) { return parse_bits64(value.get_ref<const std::string&>()).value(); }
Hash128 hash_in(const json& value) { return parse_hash128(value.get_ref<const std::string&>()).value(); }
Phase phase_in(const json& value) { return find_named<Phase>(value.get<std::string>()).value(); }

Failure failure_in(const json& value) {
  return {.phase = phase_in(value["phase"]),
          .rank = value["rank"],
          .module = value["module"],
          .operation = value["operation"],
          .group = value["group"],
          .sequence = value["sequence"],
          .message = value["message"],
          .ranks = value["ranks"].get<std::vector<std::string>>()};
}

StepRecord step_in(const json& value) {
  return {.loss = vector_of(value["loss"], bits_in), .gradient_norm = vector_of(value["gradient_norm"], bits_in)};
}

ParameterRecord parameter_in(const json& value) {
  return {.name = value["name"],
          .shape = value["shape"].get<std::vector<std::int64_t>>(),
          .gradient = vector_of(value["gradient"], hash_in),
          .value = hash_in(value["value"]),
          .changed = value["changed"],
          .frozen = value["frozen"],
          .has_gradient = value["has_gradient"],
          .replicas_agree = value["replicas_agree"]};
}

BufferRecord buffer_in(const json& value) {
  return {.name = value["name"],
          .shape = value["shape"].get<std::vector<std::int64_t>>(),
          .value = hash_in(value["value"]),
          .local = value["local"],
          .replicas_agree = value["replicas_agree"]};
}

CollectiveCount collective_in(const json& value) {
  return {.kind = value["kind"],
          .group = value["group"],
          .phase = phase_in(value["phase"]),
          .count = value["count"],
          .bytes = value["bytes"]};
}

Counters counters_in(const json& value) {
  Counters counters;
  for (const CounterName& counter : kCounters) counters.*counter.value = value[counter.name];
  for (const CounterName& modelled : kModelled)
    counters.*modelled.value =
        std::max(value[modelled.name].get<std::int64_t>(), std::int64_t{0});  // -1 from an engine without a cost model
  return counters;
}

TraceEntry trace_entry_in(const json& value) {
  return {.step = value["step"],
          .phase = phase_in(value["phase"]),
          .module = value["module"],
          .shape = value["shape"].get<std::vector<std::int64_t>>(),
          .hash = hash_in(value["hash"]),
          .file = value["file"]};
}

}  // namespace

json json_of(const Record& record) {
  return {{"case", record.case_text},
          {"engine", record.engine},
          {"versions", json(record.versions)},
          {"device", record.device},
          {"ending", name_of(record.ending)},
          {"failure", record.failure ? json_of(*record.failure) : json()},
          {"world_size", record.world_size},
          {"steps", list_of(record.steps, [](const StepRecord& s) { return json_of(s); })},
          {"parameters", list_of(record.parameters, [](const ParameterRecord& p) { return json_of(p); })},
          {"buffers", list_of(record.buffers, [](const BufferRecord& b) { return json_of(b); })},
          {"collectives", list_of(record.collectives, [](const CollectiveCount& c) { return json_of(c); })},
          {"counters", json_of(record.counters)},
          {"parity_owed", record.parity_owed},
          {"range_used", json_of(bits_of(record.range_used))},
          {"notes", json(record.notes)},
          {"trace", list_of(record.trace, [](const TraceEntry& t) { return json_of(t); })},
          {"graphs", list_of(record.graphs, [](const GraphRecord& g) { return ordercheck::json_of(g); })},
          {"plans", list_of(record.plans, [](const PlanRecord& p) { return ordercheck::json_of(p); })}};
}

Result<Record> record_of(const json& value) {
  if (Status checked = check_schema(Schema::record, value); !checked) return checked.error();
  Record record{.case_text = value["case"],
                .engine = value["engine"],
                .versions = value["versions"].get<std::vector<std::string>>(),
                .device = value["device"],
                .ending = find_named<Ending>(value["ending"].get<std::string>()).value(),
                .failure = std::nullopt,
                .world_size = value["world_size"],
                .steps = vector_of(value["steps"], step_in),
                .parameters = vector_of(value["parameters"], parameter_in),
                .buffers = vector_of(value["buffers"], buffer_in),
                .collectives = vector_of(value["collectives"], collective_in),
                .counters = counters_in(value["counters"]),
                .parity_owed = value["parity_owed"],
                .range_used = value_of(bits_in(value["range_used"])),
                .notes = value["notes"].get<std::vector<std::string>>(),
                .trace = vector_of(value["trace"], trace_entry_in),
                .graphs = vector_of(value["graphs"], graph_in),
                .plans = vector_of(value["plans"], plan_in)};
  if (!value["failure"].is_null()) record.failure = failure_in(value["failure"]);
  if ((record.ending == Ending::completed) == record.failure.has_value())
    return Error{std::string("record: expected a failure exactly where the ending is not completed, got ending ") +
                 name_of(record.ending) + (record.failure ? " with a failure" : " without a failure")};
  for (const GraphRecord& graph : record.graphs)
    if (Status sound = check_graph_record(graph); !sound) return Error{"record: " + sound.error().message};
  return record;
}

std::string encode_record(const Record& record) { return to_text(json_of(record)); }

Result<Record> decode_record(std::string_view text) {
  const Result<json> value = parse_object(text);
  if (!value) return value.error();
  return record_of(*value);
}

namespace {

using nlohmann::json;

std::vector<int> values_in(const json& value) { return value.get<std::vector<int>>(); }

GraphNodeRecord node_in(const json& value) {
  return {.op = value["op"],
          .backward = value["backward"],
          .recomputed = value["recomputed"],
          .policy = value["policy"],
          .unshards = value["unshards"],
          .bucket = value["bucket"],
          .group = value["group"],
          .ranks = value["ranks"],
          .arguments = value["arguments"],
          .operands = values_in(value["operands"]),
          .results = values_in(value["results"]),
          .module = value["module"]};
}

}  // namespace

json json_of(const GraphNodeRecord& node) {
  return {{"module", node.module},
          {"op", node.op},
          {"backward", node.backward},
          {"recomputed", node.recomputed},
          {"policy", node.policy},
          {"unshards", node.unshards},
          {"bucket", node.bucket},
          {"group", node.group},
          {"ranks", node.ranks},
          {"arguments", node.arguments},
          {"operands", json(node.operands)},
          {"results", json(node.results)}};
}

json json_of(const GraphRecord& graph) {
  json nodes = json::array();
  for (const GraphNodeRecord& node : graph.nodes) nodes.push_back(json_of(node));
  return {{"module", graph.module},
          {"passes", json(graph.passes)},
          {"shapes", json(graph.shapes)},
          {"element_bytes", json(graph.element_bytes)},
          {"view_of", json(graph.view_of)},
          {"inputs", json(graph.inputs)},
          {"parameters", json(graph.parameters)},
          {"saved", json(graph.saved)},
          {"outputs", json(graph.outputs)},
          {"tangents", json(graph.tangents)},
          {"gradients", json(graph.gradients)},
          {"nodes", std::move(nodes)}};
}

GraphRecord graph_in(const json& value) {
  GraphRecord graph{.module = value["module"],
                    .passes = value["passes"].get<std::vector<std::string>>(),
                    .shapes = value["shapes"].get<std::vector<std::vector<std::int64_t>>>(),
                    .element_bytes = values_in(value["element_bytes"]),
                    .view_of = values_in(value["view_of"]),
                    .inputs = values_in(value["inputs"]),
                    .parameters = values_in(value["parameters"]),
                    .saved = values_in(value["saved"]),
                    .outputs = values_in(value["outputs"]),
                    .tangents = values_in(value["tangents"]),
                    .gradients = values_in(value["gradients"]),
                    .nodes = {}};
  for (const json& node : value["nodes"]) graph.nodes.push_back(node_in(node));
  return graph;
}

namespace {

using nlohmann::json;

json json_of(const PlanNodeRecord& node) {
  json operands = json::array();
  for (const PlanOperandRecord& operand : node.operands)
    operands.push_back(
        {{"node", operand.node}, {"source", operand.source}, {"wanted", operand.wanted}, {"move_ns", operand.move_ns}});
  return {{"name", node.name},         {"parameter", node.parameter},   {"module", node.module},
          {"backward", node.backward}, {"shape", json(node.shape)},     {"element_bytes", node.element_bytes},
          {"operands", operands},      {"results", json(node.results)}, {"run_ns", node.run_ns}};
}

PlanNodeRecord plan_node_in(const json& value) {
  PlanNodeRecord node{.name = value["name"],
                      .parameter = value["parameter"],
                      .module = value["module"],
                      .backward = value["backward"],
                      .shape = value["shape"].get<std::vector<std::int64_t>>(),
                      .element_bytes = value["element_bytes"],
                      .operands = {},
                      .results = value["results"].get<std::vector<std::string>>(),
                      .run_ns = value["run_ns"]};
  for (const json& operand : value["operands"])
    node.operands.push_back(
        {.node = operand["node"], .source = operand["source"], .wanted = operand["wanted"], .move_ns = operand["move_ns"]});
  return node;
}

}  // namespace

json json_of(const PlanRecord& plan) {
  json mesh = json::array(), nodes = json::array();
  for (const auto& [axis, size] : plan.mesh) mesh.push_back({{"axis", axis}, {"size", size}});
  for (const PlanNodeRecord& node : plan.nodes) nodes.push_back(json_of(node));
  return {
      {"mesh", mesh}, {"machine", plan.machine}, {"nodes", nodes}, {"replicated_operators", json(plan.replicated_operators)}};
}

PlanRecord plan_in(const json& value) {
  PlanRecord plan{.mesh = {},
                  .machine = value["machine"],
                  .nodes = {},
                  .replicated_operators = value["replicated_operators"].get<std::vector<std::string>>()};
  for (const json& axis : value["mesh"]) plan.mesh.emplace_back(axis["axis"], axis["size"]);
  for (const json& node : value["nodes"]) plan.nodes.push_back(plan_node_in(node));
  return plan;
}

}  // namespace ordercheck
