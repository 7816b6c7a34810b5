// Stub for a build without CUDA.
#include "native/world/nccl/nccl_world.h"

#include <stdexcept>

namespace ordercheck::ranks {

std::string why_no_nccl_here(int) { return "world nccl: this program was built without CUDA; the preset cuda builds one"; }

c10::intrusive_ptr<ProcessBackend> make_nccl_backend(const RankGroup&, const c10::intrusive_ptr<c10d::Store>&, RankState&,
                                                     Waiting&) {
  throw std::runtime_error(why_no_nccl_here(1));
}

}  // namespace ordercheck::ranks
