#include "device/fake_autocast.h"

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>

namespace ordercheck::ranks::fake {
namespace {

struct Casts {
  torch::Library all{torch::Library::IMPL, "_", c10::DispatchKey::AutocastPrivateUse1, __FILE__, __LINE__};
  torch::Library m{torch::Library::IMPL, "aten", c10::DispatchKey::AutocastPrivateUse1, __FILE__, __LINE__};

  Casts() {
    all.fallback(torch::CppFunction::makeFallthrough());
    KERNEL_PRIVATEUSEONE(linear, lower_precision_fp)
    KERNEL_PRIVATEUSEONE(matmul, lower_precision_fp)
    KERNEL_PRIVATEUSEONE(mm, lower_precision_fp)
    KERNEL_PRIVATEUSEONE(bmm, lower_precision_fp)
    KERNEL_PRIVATEUSEONE(addmm, lower_precision_fp)
    KERNEL_PRIVATEUSEONE(baddbmm, lower_precision_fp)
    KERNEL_PRIVATEUSEONE(scaled_dot_product_attention, lower_precision_fp)
    KERNEL_PRIVATEUSEONE(stack, promote)
    KERNEL_PRIVATEUSEONE(cat, promote)
  }
};

}  // namespace

void register_autocast() { [[maybe_unused]] static const auto* const once = new Casts; }

}  // namespace ordercheck::ranks::fake
