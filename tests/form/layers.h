// src/layers.txt as a value, and what a file does against it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "form/source_tree.h"

namespace ordercheck::form {

// Room to all rooms that it may include, itself and the transitive ones among them.
using Layers = std::map<std::string, std::set<std::string>>;

// "stack: base  # what it is for" a line; a room names only rooms above it in the file, so there are no cycles. Errors name the line.
inline Result<Layers> parse_layers(const std::vector<std::string>& lines) {
  Layers layers;
  for (std::size_t number = 1; number <= lines.size(); ++number) {
    const std::string line(trim(std::string_view(lines[number - 1]).substr(0, lines[number - 1].find('#'))));
    if (line.empty()) continue;
    const std::size_t colon = line.find(':');
    if (colon == line.npos) return Error{"src/layers.txt:" + std::to_string(number) + ": expected 'room: rooms'"};
    std::set<std::string> allowed{line.substr(0, colon)};
    for (const std::string& name : split(line.substr(colon + 1), ' ')) {
      if (name.empty()) continue;
      const auto named = layers.find(name);
      if (named == layers.end())
        return Error{"src/layers.txt:" + std::to_string(number) + ": '" + name + "' is no room of a line above"};
      allowed.insert(named->second.begin(), named->second.end());
    }
    layers[line.substr(0, colon)] = allowed;
  }
  return layers;
}

// The room of a path relative to src/: "stack/mesh.h" is of stack. Where the layers name rooms in a folder, as they do in native/,
// each folder there is one: "native/world/world.h" is of native/world.
inline std::string room_of(const Layers& layers, const std::string& path) {
  const std::size_t first = path.find('/');
  if (first == path.npos) return "";
  const std::string folder = path.substr(0, first + 1);
  const std::size_t second = path.find('/', first + 1);
  const bool has_rooms = std::ranges::any_of(layers, [&](const auto& entry) { return entry.first.starts_with(folder); });
  return path.substr(0, has_rooms && second != path.npos ? second : first);
}

inline bool starts_with_any(const std::string& text, const std::vector<std::string>& beginnings) {
  return std::ranges::any_of(beginnings, [&](const std::string& beginning) { return text.rfind(beginning, 0) == 0; });
}

// "src/stack/mesh.h:12: includes ..., what is allowed": one line for every include that the layers forbid.
inline std::vector<std::string> forbidden_includes(const Layers& layers, const SourceFile& file) {
  const std::string path = file.path.substr(std::string("src/").size()), room = room_of(layers, path);
  const bool is_header = extension_of(path) == ".h", of_native = room.rfind("native/", 0) == 0;
  std::vector<std::string> found;
  const auto allowed = layers.find(room);
  if (allowed == layers.end()) return {file.path + ":1: is in no room of src/layers.txt; add a line for '" + room + "'"};
  for (std::size_t number = 1; number <= file.lines.size(); ++number) {
    const std::string line(trim(file.lines[number - 1]));
    if (line.rfind("#include", 0) != 0) continue;
    const std::string place = file.path + ":" + std::to_string(number) + ": ";
    const std::string included(trim(std::string_view(line).substr(std::string("#include").size())));
    const std::string target = included.substr(1, included.find_first_of("\">", 1) - 1);
    if (starts_with_any(target, {"torch/", "ATen/", "c10/", "caffe2/"}) && !of_native)
      found.push_back(place + "includes " + included + "; LibTorch is for src/native/ only");
    if (starts_with_any(target, {"boost/"}) && !of_native && (is_header || room != "rules"))
      found.push_back(place + "includes " + included + "; Boost is for the sources (no header) of src/rules/ only");
    if (included.front() != '"') continue;
    if (allowed->second.contains(room_of(layers, target))) continue;
    const std::vector<std::string> names(allowed->second.begin(), allowed->second.end());
    found.push_back(place + "includes " + included + " of room '" + room_of(layers, target) + "'; '" + room + "' may include " +
                    join(names, ", ") + ", by paths relative to src/");
  }
  return found;
}

}  // namespace ordercheck::form
