// Prints "name<TAB>hash<TAB>strides" of every case in tests/data/exact/cases.tsv, computed by the exact kernels of this engine: the twin of
// tests/pytorch/program/exact/conformance.py, which a test holds it against. The file tells how operands are drawn, how they lie
// in memory and how results are hashed.
//
// Usage: exact-conformance CASES [LAYOUT [any-device|cuda]]. All operands have LAYOUT, or where it is empty their own. `any-device` asks the
// kernels that are written for every device, on the CPU; `cuda` asks them on a GPU.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <stdexcept>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "native/arith/cuda/exact_operators.h"
#include "native/arith/exactness.h"
#include "native/arith/install.h"
#include "native/arith/range.h"
#include "stack/counter_random.h"

namespace ordercheck::ranks {
namespace {

using nlohmann::json;

// u or v of an element.
double drawn(const std::string& stream, int64_t i) { return unit(draw(1, key(stream), static_cast<std::uint64_t>(i))); }

struct Element {
  double u, v;
  int64_t row, column, columns, n;
};

double value_of(const std::string& distribution, const Element& e) {
  const double infinity = std::numeric_limits<double>::infinity();
  if (distribution == "signed") return 2 * e.u - 1;
  if (distribution == "unit") return e.u;
  if (distribution == "positive") return e.u + 0x1p-10;
  if (distribution == "negative") return -4 * e.u;
  if (distribution == "wide") return std::ldexp(2 * e.u - 1, static_cast<int>(std::floor(24 * e.v)) - 20);
  if (distribution == "tiny") return (2 * e.u - 1) * 0x1p-30;
  if (distribution == "half") return (2 * std::floor(64 * e.u) - 63) * std::ldexp(1.0, -static_cast<int>(e.n + 1));
  if (distribution == "zeros") return e.u < 0.5 ? -0.0 : 0.0;
  if (distribution == "nan") return e.u < 0.1 ? std::nan("") : 2 * e.v - 1;
  if (distribution == "hidden") return e.u < 0.25 || e.row % 5 == 3 ? -infinity : 2 * e.v - 1;
  if (distribution == "single") return e.column == e.row % e.columns ? 2 * e.u - 1 : 0.0;
  if (distribution == "sparse") return e.u < 0.5 ? 0.0 : 2 * e.v - 1;
  if (distribution == "three") return 3.0;
  if (distribution == "below") return std::floor(static_cast<double>(e.n) * e.u);
  if (distribution == "label") return e.u < 0.2 ? -100 : std::floor(static_cast<double>(e.n) * e.v);
  if (distribution == "bools") return e.u < 0.75 || e.column == 0 ? 1 : 0;
  throw std::runtime_error("unknown distribution " + distribution);
}

at::ScalarType dtype_of(const std::string& distribution) {
  if (distribution == "below" || distribution == "label") return at::kLong;
  return distribution == "bools" ? at::kBool : at::kDouble;
}

at::Tensor values_of(const std::string& stream, const std::string& text, const std::vector<int64_t>& shape) {
  const std::size_t digits = text.find_last_not_of("0123456789") + 1;
  const std::string distribution = text.substr(0, digits);
  const int64_t n = digits < text.size() ? std::stoll(text.substr(digits)) : 0;
  const int64_t columns = shape.empty() ? 1 : std::max<int64_t>(shape.back(), 1);
  at::Tensor values = at::empty(shape, at::kDouble);
  const int64_t count = values.numel();
  const std::string second = stream + "/second";
  if (distribution == "complex") {
    at::Tensor real = at::empty(shape, at::kDouble), imaginary = at::empty(shape, at::kDouble);
    for (int64_t i = 0; i < count; ++i) {
      real.mutable_data_ptr<double>()[i] = 2 * drawn(stream, i) - 1;
      imaginary.mutable_data_ptr<double>()[i] = 2 * drawn(second, i) - 1;
    }
    return at::complex(real, imaginary);
  }
  for (int64_t i = 0; i < count; ++i) {
    values.mutable_data_ptr<double>()[i] = value_of(
        distribution,
        {.u = drawn(stream, i), .v = drawn(second, i), .row = i / columns, .column = i % columns, .columns = columns, .n = n});
  }
  return values.to(dtype_of(distribution));
}

at::Tensor filled_like(const at::Tensor& values, at::IntArrayRef sizes) {
  const bool is_float = values.is_floating_point() || values.is_complex();
  return at::full(sizes, is_float ? at::Scalar(std::nan("")) : at::Scalar(0), values.options());
}

at::Tensor laid_out(const at::Tensor& values, const std::string& layout) {
  if (layout == "transposed" && values.dim() > 1) return values.transpose(-2, -1).contiguous().transpose(-2, -1);
  if (layout == "permuted" && values.dim() > 2) return values.movedim(0, -1).contiguous().movedim(-1, 0);
  if (layout == "second" && values.dim() > 0) {
    std::vector<int64_t> sizes = values.sizes().vec();
    sizes.back() *= 2;
    const at::Tensor every_second = filled_like(values, sizes).slice(-1, 0, std::nullopt, 2);
    return every_second.copy_(values);
  }
  if (layout == "offset") {
    const at::Tensor storage = filled_like(values, {values.numel() + 8});
    return storage.narrow(0, 3, values.numel()).copy_(values.reshape({-1})).view(values.sizes());
  }
  return values.clone(at::MemoryFormat::Contiguous);
}

// In the given layout, or in its own.
at::Tensor operand(const std::string& stream, const std::string& text, const std::string& layout) {
  const std::vector<std::string> parts = split(text, ':');
  std::vector<int64_t> shape;
  if (!parts[0].empty())
    for (const std::string& size : split(parts[0], 'x')) shape.push_back(std::stoll(size));
  if (parts[1] != "expanded") return laid_out(values_of(stream, parts[2], shape), layout.empty() ? parts[1] : layout);
  std::vector<int64_t> first = shape;
  first[0] = 1;
  const at::Tensor expanded = values_of(stream, parts[2], first).expand(shape);
  return layout.empty() ? expanded : laid_out(expanded.contiguous(), layout);
}

c10::IValue value_of(const json& value, const c10::Type& type) {
  if (value.is_null()) return {};
  if (value == "float64") return static_cast<int64_t>(at::kDouble);
  if (value == "inf") return std::numeric_limits<double>::infinity();
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_string()) return value.get<std::string>();
  if (value.is_array()) {
    if (type.str().find("Tensor") != std::string::npos) return c10::List<at::Tensor>();
    if (!value.empty() && value[0].is_boolean()) {
      c10::List<bool> flags;
      for (const json& one : value) flags.push_back(one.get<bool>());
      return flags;
    }
    c10::List<int64_t> numbers;
    for (const json& one : value) numbers.push_back(one.get<int64_t>());
    return numbers;
  }
  const bool is_float = type.str().find("float") != std::string::npos;
  if (value.is_number_integer() && !is_float) return value.get<int64_t>();
  return value.get<double>();
}

struct Call {
  std::string name;
  c10::OperatorHandle op;
  std::map<std::string, c10::IValue> inputs;
  std::map<std::string, std::vector<at::Tensor>> lists;
};

Call call_of(const std::vector<std::string>& columns, const std::string& layout) {
  const std::vector<std::string> op = split(columns[1], '.');
  Call call{
      .name = columns[0],
      .op = c10::Dispatcher::singleton().findSchemaOrThrow(("aten::" + op[0]).c_str(), op.size() > 1 ? op[1].c_str() : ""),
      .inputs = {},
      .lists = {}};
  int place = 0;
  for (const std::string& word : split(columns[3], ' ')) {
    if (word.empty()) continue;
    const std::size_t equals = word.find('=');
    const std::string argument = word.substr(0, equals);
    const at::Tensor x = operand(fmt::format("{}/{}", call.name, place++), word.substr(equals + 1), layout);
    if (argument.ends_with("[]"))
      call.lists[argument.substr(0, argument.size() - 2)].push_back(x);
    else
      call.inputs[argument] = x;
  }
  std::map<std::string, json> arguments;
  if (columns.size() > 4)
    for (const std::string& word : split(columns[4], ' '))
      if (const std::size_t equals = word.find('='); equals != word.npos)
        arguments[word.substr(0, equals)] = json::parse(word.substr(equals + 1));
  for (const c10::Argument& argument : call.op.schema().arguments())
    if (const auto given = arguments.find(argument.name()); given != arguments.end())
      call.inputs[argument.name()] = value_of(given->second, *argument.type());
  return call;
}

bool is_list_of_optionals(const c10::Argument& argument) {
  return argument.type()->str().find("Tensor?[]") != std::string::npos;
}

std::vector<at::Tensor> results_of(const Call& call) {
  torch::jit::Stack stack;
  std::vector<at::Tensor> written;
  for (const c10::Argument& argument : call.op.schema().arguments()) {
    if (const auto list = call.lists.find(argument.name()); list != call.lists.end()) {
      if (is_list_of_optionals(argument)) {
        c10::List<std::optional<at::Tensor>> members;
        for (const at::Tensor& x : list->second) members.push_back(x);
        stack.emplace_back(members);
      } else {
        stack.emplace_back(c10::List<at::Tensor>(list->second));
      }
      const auto* alias = argument.alias_info();
      if (alias != nullptr && alias->isWrite()) written.insert(written.end(), list->second.begin(), list->second.end());
    } else if (const auto given = call.inputs.find(argument.name()); given != call.inputs.end()) {
      stack.push_back(given->second);
    } else if (argument.default_value()) {
      stack.push_back(*argument.default_value());
    } else if (argument.type()->kind() == c10::TypeKind::ListType) {
      stack.emplace_back(c10::List<at::Tensor>());
    } else {
      stack.emplace_back();
    }
  }
  call.op.callBoxed(&stack);
  std::vector<at::Tensor> results;
  for (const c10::IValue& value : stack) {
    if (value.isTensor() && value.toTensor().defined()) results.push_back(value.toTensor());
    if (value.isTensorList())
      for (const at::Tensor& x : value.toTensorVector()) results.push_back(x);
  }
  return stack.empty() ? written : results;
}

std::uint64_t next(std::uint64_t state, std::uint64_t word) { return mix(state + word); }

std::uint64_t hash_of_one(const at::Tensor& result) {
  const at::Tensor x = (result.is_complex() ? at::view_as_real(result.resolve_conj()) : result.to(at::kDouble)).contiguous();
  std::uint64_t state = mix(static_cast<std::uint64_t>(x.dim()));
  for (const int64_t size : x.sizes()) state = next(state, static_cast<std::uint64_t>(size));
  for (int64_t i = 0; i < x.numel(); ++i) {
    const double value = x.const_data_ptr<double>()[i];
    state = next(state, std::isnan(value) ? 0x7FF8000000000000ULL : std::bit_cast<std::uint64_t>(value));
  }
  return state;
}

std::uint64_t hash_of_all(const std::vector<at::Tensor>& results) {
  std::uint64_t state = 0;
  bool first = true;
  for (const at::Tensor& result : results) {
    const std::uint64_t own = hash_of_one(result);
    state = first ? mix(own) : next(state, own);
    first = false;
  }
  return state;
}

// "9,1;1": the strides of every result.
std::string strides_of(const std::vector<at::Tensor>& results) {
  std::vector<std::string> all;
  for (const at::Tensor& x : results) all.push_back(fmt::format("{}", fmt::join(x.strides(), ",")));
  return fmt::format("{}", fmt::join(all, ";"));
}

// Operands are drawn on the CPU, and lie on a device as they lie there.
void move_to_gpu(Call& call) {
  const auto moved = [](const at::Tensor& x) {
    return at::empty_strided(x.sizes(), x.strides(), x.options().device(at::kCUDA)).copy_(x);
  };
  for (auto& [name, value] : call.inputs)
    if (value.isTensor()) value = moved(value.toTensor());
  for (auto& [name, list] : call.lists)
    for (at::Tensor& x : list) x = moved(x);
}

int print_all(const char* path, const std::string& layout, const std::string& kernels) {
  std::ifstream file(path);
  if (!file) {
    fmt::print(stderr, "exact-conformance: cannot read {}\n", path);
    return 2;
  }
  std::map<int, std::vector<std::vector<std::string>>, std::greater<>> by_grid;
  std::string line;
  bool heading = true;
  while (std::getline(file, line)) {
    if (line.starts_with('#')) continue;
    if (!heading) {
      const std::vector<std::string> columns = split(line, '\t');
      by_grid[std::stoi(columns[2])].push_back(columns);
    }
    heading = false;
  }
  const at::NoGradGuard no_grad;
  at::set_num_threads(1);
  if (kernels == "arith")
    install_exact_kernels();
  else
    install_exact_operators(kernels == "cuda" ? c10::DispatchKey::CUDA : c10::DispatchKey::CPU);
  for (const auto& [grid, lines] : by_grid) {
    for (const auto& columns : lines) {
      // Of a CPU alone: elsewhere LibTorch composes attention of products and a softmax.
      if (kernels != "arith" && columns[1].find("_for_cpu") != std::string::npos) continue;
      set_exact_grid(kNotExact);  // operands are drawn by stock kernels
      Call call = call_of(columns, layout);
      if (kernels == "cuda") move_to_gpu(call);
      set_exact_grid(grid);
      reset_range(1, PastRange::go_on);  // an infinity has a result too
      std::string told;
      try {
        std::vector<at::Tensor> results = results_of(call);
        set_exact_grid(kNotExact);
        const std::string strides = strides_of(results);
        for (at::Tensor& x : results) x = x.cpu();
        told = fmt::format("{:016x}\t{}", hash_of_all(results), strides);
      } catch (const std::exception& error) {
        told = split(error.what(), '\n').front() + "\t";
      }
      fmt::print("{}\t{}\n", call.name, told);
    }
  }
  return 0;
}

}  // namespace
}  // namespace ordercheck::ranks

int main(int argc, char** argv) {
  const std::string kernels = argc > 3 ? argv[3] : "arith";
  const bool is_known = kernels == "arith" || kernels == "any-device" || kernels == "cuda";
  if (argc >= 2 && argc <= 4 && is_known) return ordercheck::ranks::print_all(argv[1], argc > 2 ? argv[2] : "", kernels);
  std::fputs("exact-conformance: expected the file of cases, a layout for all operands or none, and any-device, cuda or none\n",
             stderr);
  return 2;
}
