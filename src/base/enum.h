// Declares enums whose names are the words that users read and write.
//
//   ORDERCHECK_ENUM(Verdict, equal, close, differs)
//
// declares enum class Verdict and name_of(Verdict::close), "close". One list gives both, so no name can be missing or wrong.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ordercheck {

// A list of words, "equal, close", split at compile time: a NUL replaces every separator.
template <std::size_t Length>
class EnumNames {
 public:
  consteval explicit EnumNames(const char (&list)[Length]) {
    bool in_word = false;
    for (std::size_t at = 0; at < Length; ++at) {
      const bool separates = list[at] == ',' || list[at] == ' ' || list[at] == '\0';
      text_[at] = separates ? '\0' : list[at];
      if (!separates && !in_word) begins_[count_++] = at;
      in_word = !separates;
    }
  }
  constexpr std::size_t size() const { return count_; }
  constexpr const char* operator[](std::size_t index) const { return &text_[begins_[index]]; }

 private:
  std::array<char, Length> text_{};
  std::array<std::size_t, Length / 2 + 1> begins_{};
  std::size_t count_ = 0;
};

#define ORDERCHECK_ENUM(Enum, ...)                                       \
  enum class Enum { __VA_ARGS__ };                                       \
  inline constexpr ::ordercheck::EnumNames kNamesOf##Enum{#__VA_ARGS__}; \
  constexpr const auto& names_in_order(Enum) { return kNamesOf##Enum; }  \
  constexpr const char* name_of(Enum value) { return kNamesOf##Enum[static_cast<std::size_t>(value)]; }

// Every enumerator, in order.
template <class Enum>
constexpr auto all_of() {
  std::array<Enum, names_in_order(Enum{}).size()> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Enum>(i);
  return all;
}

// The enumerator with this name, nullopt if there is none.
template <class Enum>
constexpr std::optional<Enum> find_named(std::string_view name) {
  for (const Enum value : all_of<Enum>())
    if (name == name_of(value)) return value;
  return std::nullopt;
}

template <class Enum>
std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const Enum value : all_of<Enum>()) names.emplace_back(name_of(value));
  return names;
}

}  // namespace ordercheck
