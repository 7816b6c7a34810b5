// Pictures in Graphviz's language, written as they are or drawn by dot.
#pragma once

#include <string>

#include "base/result.h"

namespace ordercheck::cli {

// `format`: text, dot or json are written as they are, svg is drawn. To `path`; "" is stdout. An error is one line.
Status write_picture(const std::string& text, const std::string& format, const std::string& path);

}  // namespace ordercheck::cli
