// Implements LibTorch's PyInterpreter interface in C++, so that dispatch modes and saved-tensor hooks work without Python. Both
// carry their object as a PyObject*, which LibTorch never dereferences: it only asks the interpreter to count references and
// dispatch.
#pragma once

#include <atomic>

#include <c10/core/impl/PyInterpreter.h>

namespace ordercheck::ranks {

// A reference-counted object that LibTorch can hold through a PyObject*.
class Held {
 public:
  virtual ~Held() = default;
  PyObject* as_object() { return reinterpret_cast<PyObject*>(this); }
  static Held* from_object(PyObject* object) { return reinterpret_cast<Held*>(object); }
  void retain() { ++references_; }
  void drop() {
    if (--references_ == 0) delete this;
  }

 private:
  std::atomic<int> references_{1};
};

c10::impl::PyInterpreter& interpreter();

}  // namespace ordercheck::ranks
