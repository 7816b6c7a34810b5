#include "check/program_edits.h"

#include "base/text.h"
#include "check/partners.h"
#include "rule/glossary.h"

namespace ordercheck {
namespace {

constexpr const char* kAbsent = "absent";

class Edits {
 public:
  void add(const std::string& group, const std::string& term, const std::string& transform, const std::string& value) {
    for (const FoundTerm& found : find_terms(glossary(), term)) {
      if (found.group->name != group || found.term->name != term) continue;
      for (const ProgramEdit& edit : found.term->edits)
        if (edit.of == transform && (edit.value == value || (edit.value.empty() && value != kAbsent)) &&
            !contains(sentences_, edit.sentence))
          sentences_.push_back(edit.sentence);
    }
  }

  const std::vector<std::string>& sentences() const { return sentences_; }

 private:
  std::vector<std::string> sentences_;
};

void add_edits_of(const Item& before, const Item& after, Edits& edits) {
  for (const Option& option : after.options)
    if (option_of(before, option.name) != option.value) edits.add("options", option.name, after.name, option.value);
  for (const Option& option : before.options)
    if (!option_of(after, option.name)) edits.add("options", option.name, after.name, kAbsent);
  if (scope_of(before) != scope_of(after)) edits.add("scopes", name_of(scope_of(after)), after.name, "");
}

}  // namespace

std::vector<std::string> program_edits(const Stack& left, const Stack& right) {
  const Partners partners = partners_of(left, right);
  Edits edits;
  for (std::size_t i = 0; i < left.items.size(); ++i)
    if (partners[i]) add_edits_of(left.items[i], right.items[*partners[i]], edits);
  for (const std::size_t added : alone_in(right, partners)) edits.add("transforms", right.items[added].name, "", "");
  return edits.sentences();
}

}  // namespace ordercheck
