// The binary `ordercheck`: one subcommand a file.
#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/command.h"

int main(int argc, char** argv) {
  using namespace ordercheck::cli;
  CLI::App app{"Checks the order in which parallelism and wrappers are applied to a model", "ordercheck"};
  app.set_version_flag("--version", "ordercheck " ORDERCHECK_VERSION);
  app.require_subcommand(1);
  app.footer("Exit codes: 0 nothing against it, 1 decided against it, 2 nothing ran, 3 undecided.");
  // A pipe shows both streams in the order in which they were written.
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  int exit_code = kNothingAgainst;
  add_check(app, exit_code);
  add_suggest(app, exit_code);
  add_explain(app, exit_code);
  add_compare(app, exit_code);
  add_rules(app, exit_code);
  add_run(app, exit_code);
  add_graph(app, exit_code);
  add_repro(app, exit_code);
  add_matrix(app, exit_code);
  add_docs(app, exit_code);
  add_doctor(app, exit_code);
  add_completion(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help, --version
    return app.exit(asked);
  } catch (const CLI::ParseError& wrong) {
    fmt::print(stderr, "ordercheck: {}; --help shows the usage\n", ordercheck::split(wrong.what(), '\n').front());
    return kBadInput;
  }
  return exit_code;
}
