#include "ranks/worker/process_settings.h"

#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <cstdlib>

#include <ATen/Parallel.h>

#include "ranks/graph/saved_tensors.h"

namespace ordercheck::ranks {

void settle_process() {
  setenv("OMP_NUM_THREADS", "1", 1);
  // Tensors of a few MB come and go with every operator: keep their memory instead of giving it back page by page.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  at::set_num_threads(1);
  install_saved_tensor_hooks();
}

int move_stdout_aside() {
  const int aside = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  return aside;
}

}  // namespace ordercheck::ranks
