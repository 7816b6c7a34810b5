// RapidCheck generators of bytes that are nearly right.
#pragma once

#include <rapidcheck.h>

#include <string>
#include <vector>

namespace ordercheck::fuzz {

inline std::string random_bytes() {
  return *rc::gen::container<std::string>(
      rc::gen::weightedOneOf<char>({{2, rc::gen::inRange<char>(' ', '~')},
                                    {1, rc::gen::arbitrary<char>()},
                                    {1, rc::gen::element('\n', '\t', '=', '"', ',', '\0')}}));
}

inline std::size_t place_in(const std::string& text) { return *rc::gen::inRange<std::size_t>(0, text.size() + 1); }

// What stands between two places where words end: a value, a name, a field.
inline std::pair<std::size_t, std::size_t> word_in(const std::string& text) {
  constexpr const char* kEnds = " \t\n=,:\"[]{}()|";
  const std::size_t begin = std::min(text.size(), text.find_first_not_of(kEnds, place_in(text)));
  return {begin, std::min(text.size(), text.find_first_of(kEnds, begin)) - begin};
}

// A sample with up to four injuries: flipped bytes, a cut, a piece doubled or lost, a piece of another sample, a word of the
// format put in or in place of another.
inline std::string damaged(const std::vector<std::string>& samples, const std::vector<std::string>& words) {
  std::string text = *rc::gen::elementOf(samples);
  const int injuries = *rc::gen::inRange(1, 5);
  for (int i = 0; i < injuries; ++i) {
    const std::size_t at = place_in(text), length = *rc::gen::inRange<std::size_t>(1, 60);
    switch (*rc::gen::inRange(0, 8)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << *rc::gen::inRange(0, 8)));
        break;
      case 1: text.resize(at); break;
      case 2: text.erase(at, length); break;
      case 3: text.insert(at, text.substr(place_in(text), length)); break;
      case 4: {
        const std::string other = *rc::gen::elementOf(samples);
        text = text.substr(0, at) + other.substr(std::min(other.size(), place_in(other)));
        break;
      }
      case 5: text.insert(at, *rc::gen::elementOf(words)); break;
      case 6: text.insert(at, 1, *rc::gen::arbitrary<char>()); break;
      default: {
        const auto [begin, size] = word_in(text);
        text.replace(begin, size, *rc::gen::elementOf(words));
      }
    }
  }
  return text;
}

}  // namespace ordercheck::fuzz
