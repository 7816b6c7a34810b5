#include "cli/shared/subject_option.h"

#include <fmt/format.h>

#include "base/text.h"

namespace ordercheck::cli {

void add_subject_option(CLI::App* command, std::string& subject) {
  command->add_option("--subject", subject,
                      "Another word for --engine PROJECT, written project@version; the next release has none");
}

Result<std::string> engine_of_subject(const std::string& subject, const std::string& engine) {
  if (subject.empty()) return engine;
  const auto parts = split(subject, '@');
  if (parts.size() != 2 || parts[0].empty() || parts[1].empty())
    return Error{fmt::format("--subject '{}' is not project@version; use --engine instead", subject)};
  const std::string& project = parts[0];
  if (!engine.empty() && engine != project)
    return Error{fmt::format("--subject {} means --engine {}, and --engine {} is another; leave --subject out", subject,
                             project, engine)};
  fmt::print(stderr, "ordercheck: --subject {} is another word for --engine {}, and the next release has none\n", subject,
             project);
  return project;
}

Status check_version(const std::string& subject, const Hello& hello) {
  std::string release = subject;
  if (const std::size_t at = release.find('@'); at != std::string::npos) release[at] = ' ';
  if (release.empty() || contains(hello.versions, release)) return Done{};
  return Error{fmt::format("--subject {}: the {} engine is of {}", subject, hello.engine, join(hello.versions, ", "))};
}

}  // namespace ordercheck::cli
