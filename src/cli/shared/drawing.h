// Writes the pictures of `ordercheck graph` and similar, as Graphviz source or drawn by dot.
#pragma once

#include <string>

#include "base/result.h"

namespace ordercheck::cli {

// Writes `text` to `path` ("" is stdout). Formats text, dot and json write it unchanged; svg converts it from Graphviz source
// with the program dot. An error is one line.
Status write_picture(const std::string& text, const std::string& format, const std::string& path);

}  // namespace ordercheck::cli
