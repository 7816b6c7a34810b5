#include "import/import.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "import/json_settings.h"
#include "import/megatron.h"
#include "import/toml_settings.h"
#include "import/yaml_settings.h"

namespace ordercheck {
namespace {

enum class Syntax { yaml, json, toml, shell };

// `signs` are key patterns that no other format has.
struct ImportFormat {
  std::string_view name;
  Syntax syntax;
  std::vector<std::string_view> signs;
  Imported (*stack)(SettingList settings, const ReadBeside& read);
};

Imported megatron_yaml_stack(SettingList settings, const ReadBeside&) {
  return megatron_stack(megatron_arguments(std::move(settings)));
}

const std::vector<ImportFormat>& formats() {
  static const std::vector<ImportFormat> all{
      {"accelerate", Syntax::yaml, {"distributed_type", "compute_environment"}, accelerate_stack},
      {"automodel", Syntax::yaml, {"distributed.strategy", "distributed._target_", "distributed.dp_size"}, automodel_stack},
      {"axolotl", Syntax::yaml, {"base_model"}, axolotl_stack},
      {"deepspeed",
       Syntax::json,
       {"zero_optimization*", "train_micro_batch_size_per_gpu", "train_batch_size"},
       deepspeed_stack},
      {"megatron", Syntax::yaml, {"MODEL_ARGS.--*"}, megatron_yaml_stack},
      {"prime-rl", Syntax::toml, {"trainer.model.*", "orchestrator.*", "deployment.num_train_gpus"}, prime_rl_stack},
      {"torchtitan", Syntax::toml, {"parallelism.*_degree", "job.dump_folder", "training.seq_len"}, torchtitan_stack},
      {"verl", Syntax::yaml, {"actor_rollout_ref.*"}, verl_stack}};
  return all;
}

Result<SettingList> read_as(Syntax syntax, std::string_view text, const std::string& file) {
  if (syntax == Syntax::json) return read_json(text, file);
  return syntax == Syntax::toml ? read_toml(text, file) : read_yaml(text, file);
}

// Whether the text has Megatron-LM options of a script. Megatron-LM's YAML has the same names followed by a colon.
bool has_megatron_options(std::string_view text) {
  for (const char* option : {"--tensor-model-parallel-size", "--pipeline-model-parallel-size", "--num-attention-heads"})
    for (std::size_t at = text.find(option); at != text.npos; at = text.find(option, at + 1))
      if (const std::size_t end = at + std::string_view(option).size(); end < text.size() && text[end] != ':') return true;
  return false;
}

bool is_script(std::string_view text, std::string_view file) {
  if (text.starts_with("#!") || has_megatron_options(text)) return true;
  for (const std::string_view ending : {".sh", ".bash", ".slurm", ".sbatch"})
    if (file.ends_with(ending)) return true;
  return false;
}

// Detects the syntax from the first significant line: JSON begins with a brace, TOML with a table or `key =`. JSON has no '#'
// comments.
Syntax syntax_of(std::string_view text, std::string_view file) {
  if (is_script(text, file)) return Syntax::shell;
  bool has_comment = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = trim(text.substr(at, end - at));
    at = end + 1;
    has_comment = has_comment || line.starts_with('#');
    if (line.empty() || line.starts_with('#') || line.starts_with("---")) continue;
    if (line.starts_with('{') || line.starts_with("//")) return has_comment ? Syntax::yaml : Syntax::json;
    if (line.starts_with("--") || line.ends_with('\\')) return Syntax::shell;
    const std::size_t sign = line.find_first_of("=:");
    return line.starts_with('[') || (sign != line.npos && line[sign] == '=') ? Syntax::toml : Syntax::yaml;
  }
  return Syntax::yaml;
}

bool has_a_sign(const ImportFormat& format, const SettingList& settings) {
  return std::ranges::any_of(settings, [&](const Setting& setting) {
    return std::ranges::any_of(format.signs, [&](std::string_view sign) { return glob_match(sign, setting.key); });
  });
}

std::string all_signs() {
  std::vector<std::string> parts;
  for (const ImportFormat& format : formats()) {
    std::vector<std::string> signs(format.signs.begin(), format.signs.end());
    parts.push_back(fmt::format("{} ({})", format.name, join(signs, " or ")));
  }
  return join(parts, ", ");
}

Error unknown_format(const std::string& file) {
  return error_at(file, 1,
                  fmt::format("no format that is known; looked for the keys of {}; --as NAME says which it is", all_signs()));
}

Error no_overrides(const ImportOptions& options, std::string_view format) {
  return Error{fmt::format("{}: options after the file are for torchtitan; this file is of {}",
                           one_line(options.overrides.front()), format)};
}

Result<const ImportFormat*> format_of(const SettingList& settings, Syntax syntax, const std::string& file) {
  std::vector<const ImportFormat*> fitting;
  for (const ImportFormat& format : formats())
    if (format.syntax == syntax && has_a_sign(format, settings)) fitting.push_back(&format);
  if (fitting.size() == 1) return fitting.front();
  if (fitting.empty()) return unknown_format(file);
  return error_at(file, 1, fmt::format("it may be of {} or of {}; say which with --as", fitting[0]->name, fitting[1]->name));
}

SettingForm override_form(const std::string& text) {
  if (text == "true" || text == "false") return SettingForm::flag;
  if (parse_integer(text)) return SettingForm::whole;
  return text.find(',') == std::string::npos ? SettingForm::word : SettingForm::list;
}

// Accepts "--a.b=2", "--a.b" and "--a.no_b", which override the file.
Status override_with(const std::string& written, SettingList& settings) {
  const std::size_t sign = std::min(written.find('='), written.size());
  std::string key = written.starts_with("--") ? written.substr(2, sign - std::min<std::size_t>(sign, 2)) : "";
  std::string value = sign < written.size() ? written.substr(sign + 1) : "true";
  const std::size_t dot = key.rfind('.');
  if (dot == std::string::npos) return Error{fmt::format("{}: expected --section.key=value after the file", one_line(written))};
  if (sign == written.size() && key.substr(dot + 1).starts_with("no_")) {
    key.erase(dot + 1, 3);
    value = "false";
  }
  Setting setting{.key = key, .form = override_form(value), .text = value, .elements = {}, .where = {kCommandLine, 0}};
  if (setting.form == SettingForm::list || key.ends_with("converters") || key.ends_with("components"))
    setting = {.key = key, .form = SettingForm::list, .text = "", .elements = split(value, ','), .where = setting.where};
  std::erase_if(settings, [&](const Setting& one) { return one.key == key; });
  settings.push_back(std::move(setting));
  return Done{};
}

// Sets the file in origins that have none. These are items from defaults of the project, which no line of the file states.
Imported placed_in(Imported imported, const std::string& file) {
  for (Item& item : imported.stack.items)
    if (item.origin.file.empty()) item.origin = {file, 0};
  for (NotUnderstood& one : imported.not_understood)
    if (one.where.file.empty()) one.where = {file, 0};
  return imported;
}

}  // namespace

std::vector<std::string> import_formats() {
  std::vector<std::string> names;
  for (const ImportFormat& format : formats()) names.emplace_back(format.name);
  return names;
}

Result<Imported> import_text(std::string_view text, const std::string& file, const ReadBeside& read,
                             const ImportOptions& options) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const auto forced = std::ranges::find(formats(), options.format, &ImportFormat::name);
  if (!options.format.empty() && forced == formats().end())
    return Error{fmt::format("--as {}: no format of that name; {}", one_line(options.format),
                             did_you_mean(options.format, import_formats()))};
  const bool is_forced = forced != formats().end();
  const Syntax seen = syntax_of(text, file), syntax = is_forced ? forced->syntax : seen;
  if (seen == Syntax::shell && (!is_forced || forced->name == "megatron")) {
    if (!options.overrides.empty()) return no_overrides(options, "megatron");
    auto script = read_shell(text, file);
    if (!script) return script.error();
    if (options.format.empty() && !has_megatron_options(text))
      return error_at(file, 1,
                      "a script without Megatron-LM's options, such as --tensor-model-parallel-size; --as megatron reads it as "
                      "one of Megatron-LM");
    return placed_in(megatron_stack(std::move(script).value()), file);
  }
  auto settings = read_as(syntax, text, file);
  if (!settings) return settings.error();
  const ImportFormat* format = is_forced ? &*forced : nullptr;
  if (format == nullptr) {
    const auto found = format_of(*settings, syntax, file);
    if (!found) return found.error();
    format = *found;
  }
  if (!options.overrides.empty() && format->name != "torchtitan") return no_overrides(options, format->name);
  SettingList whole = std::move(settings).value();
  for (const std::string& written : options.overrides)
    if (const Status done = override_with(written, whole); !done) return done.error();
  return placed_in(format->stack(std::move(whole), read), file);
}

}  // namespace ordercheck
