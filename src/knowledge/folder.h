// Where rules, engines and evidence lie.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/engine_file.h"

namespace ordercheck {

// The folder of rules: `written` where it is not empty, else $ORDERCHECK_RULES, else the folder `rules` that holds a
// TEMPLATE.md in the nearest folder above the executable.
Result<std::filesystem::path> find_rules_folder(const std::string& written);

// The folder of rules, and the folder matrix/ with engines and evidence.
struct Folders {
  std::filesystem::path rules;
  std::filesystem::path matrix;
};

// `matrix`: "" for the one beside the rules.
Result<Folders> find_folders(const std::string& rules_folder, const std::filesystem::path& matrix = {});

// What lies beside the folder of rules: "matrix", or "" for the folder that holds both.
std::filesystem::path beside(const std::filesystem::path& rules, const std::filesystem::path& name);

// The engines of matrix/engines beside the rules, and those that come with ordercheck, which are known without any folder.
Result<std::vector<EngineFile>> known_engines(const std::string& rules_folder);

}  // namespace ordercheck
