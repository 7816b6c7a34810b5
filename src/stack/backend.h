// The backend of compile: which one an item names, and which one is meant where it names none.
#pragma once

#include "stack/stack.h"

namespace ordercheck {

// What torch.compile takes where none is named. An engine may run another in its place, and then says so.
inline constexpr const char* kUsualBackend = "inductor";

// Whether it compiles and names no backend.
bool leaves_backend_open(const Item& item);

// With the usual one named wherever it was left open:  "compile,sac" -> "compile=inductor,sac".
Stack under_usual_backend(Stack stack);

// With no compile that names one.
Stack without_backend(Stack stack);

bool names_usual_backend(const Stack& stack);

}  // namespace ordercheck
