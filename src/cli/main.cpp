// The `ordercheck` binary; each subcommand has its own source.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <new>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/command.h"
#include "matrix/engine_spec.h"

namespace ordercheck::cli {
namespace {

int stopped(const std::string& what) {
  std::fprintf(stderr, "ordercheck: %s\n", what.c_str());
  return kBadInput;
}

// The version and the engines. An engine with a worker program is "built" only if the program exists.
std::string version_text() {
  const auto engines = load_engine_files(home_of("matrix/engines").value_or("") / "matrix" / "engines");
  std::string text = "ordercheck " ORDERCHECK_VERSION "\n";
  if (!engines) return text + "engines unknown: " + engines.error().message;
  for (const EngineFile& engine : *engines) {
    const std::string how = !engine.interpreter.empty()   ? "in a Python >= 3.10 with torch >= 2.6"
                            : engine.built_beside.empty() ? engine.command.front()
                            : has_worker(engine)          ? "built"
                            : is_in_checkout()            ? "not built (needs LibTorch)"
                                                          : "not in this installation";
    text += fmt::format("engine {}: {}\n", engine.name, how);
  }
  // CLI11 appends a newline.
  text.pop_back();
  return text;
}

// One line. Names the subcommand or option that is near a misspelt one.
std::string usage_error(CLI::App& app, const CLI::ParseError& wrong) {
  std::string text = split(wrong.what(), '\n').front() + "; --help shows the usage";
  CLI::App* asked = &app;  // the innermost subcommand that was named
  while (!asked->get_subcommands().empty()) asked = asked->get_subcommands().front();
  const std::vector<std::string> unknown = app.remaining(true);
  if (unknown.empty()) return text;
  const std::string& word = unknown.front();
  std::vector<std::string> known;
  if (word.starts_with('-')) {
    for (const CLI::Option* option : asked->get_options())
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    if (!nearest(word, known)) return text;  // its options are too many for a line
  } else {
    for (const CLI::App* command : asked->get_subcommands([](CLI::App*) { return true; })) known.push_back(command->get_name());
    if (known.empty()) return text;
  }
  return fmt::format("there is no '{}'; {}", word, did_you_mean(word, known));
}

// Handles failures that no subcommand can: output to a full disk, or no memory. Journals and files written before stay
// valid.
int parsed_and_run(CLI::App& app, int argc, char** argv, const int& exit_code) {
  try {
    app.parse(argc, argv);
    // Flush here: otherwise nobody sees an error in writing the last buffered lines.
    if (std::fflush(stdout) != 0) throw std::system_error(errno, std::generic_category(), "cannot write the output");
  } catch (const CLI::Success& asked) {  // --help, --version
    const int code = app.exit(asked);
    return std::cout.flush() ? code : stopped(fmt::format("cannot write the output: {}", std::strerror(errno)));
  } catch (const CLI::ParseError& wrong) {
    return stopped(usage_error(app, wrong));
  } catch (const std::bad_alloc&) {
    return stopped("there is not enough memory; raise the limit of this process, or ask for less at once (--only, --shard)");
  } catch (const std::filesystem::filesystem_error& wrong) {
    return stopped(wrong.what());
  } catch (const std::system_error& wrong) {  // from a failed print
    return stopped(fmt::format("cannot write the output: {}", wrong.code().message()));
  }
  return exit_code;
}

}  // namespace
}  // namespace ordercheck::cli

int main(int argc, char** argv) {
  using namespace ordercheck::cli;
  // With the signal ignored, exceeding the file size limit fails the write, like a full disk, instead of killing the process.
  std::signal(SIGXFSZ, SIG_IGN);
  CLI::App app{"Checks the order in which parallelism and wrappers are applied to a model", "ordercheck"};
  app.set_version_flag("--version", version_text);
  app.require_subcommand(1);
  app.footer("Exit codes: 0 nothing against it, 1 decided against it, 2 nothing ran, 3 undecided.");
  // Line buffering keeps stdout and stderr in order when both go to one pipe.
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  int exit_code = kNothingAgainst;
  add_check(app, exit_code);
  add_scan(app, exit_code);
  add_suggest(app, exit_code);
  add_explain(app, exit_code);
  add_compare(app, exit_code);
  add_import(app, exit_code);
  add_init(app, exit_code);
  add_record(app, exit_code);
  add_rules(app, exit_code);
  add_run(app, exit_code);
  add_graph(app, exit_code);
  add_plan(app, exit_code);
  add_watch(app, exit_code);
  add_repro(app, exit_code);
  add_matrix(app, exit_code);
  add_docs(app, exit_code);
  add_doctor(app, exit_code);
  add_completion(app, exit_code);
  return parsed_and_run(app, argc, argv, exit_code);
}
