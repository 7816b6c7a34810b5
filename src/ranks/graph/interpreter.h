// What LibTorch asks of "the Python interpreter", answered in C++, so that dispatch modes and saved-tensor hooks work in a
// process without Python. Both carry their object as a PyObject*, which LibTorch never looks into: it only asks the
// interpreter to count references and to dispatch.
#pragma once

#include <atomic>

#include <c10/core/impl/PyInterpreter.h>

namespace ordercheck::ranks {

// Something LibTorch may hold through a PyObject*: counted, and deleted with its last reference.
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
