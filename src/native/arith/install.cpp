#include "native/arith/install.h"

#include <c10/util/Exception.h>

#include "native/arith/kernel_set.h"
#include "native/arith/refusals.h"

namespace ordercheck::ranks {
namespace {

// During its lifetime, drops warnings: the dispatcher warns about overriding a kernel, which is intended here.
class Silence final : public c10::WarningHandler {
  void process(const c10::Warning&) override {}
};

struct Installed {
  torch::Library aten{torch::Library::IMPL, "aten", c10::DispatchKey::CPU, __FILE__, __LINE__};
  KernelSet kernels{aten};

  Installed() {
    Silence silence;
    const c10::WarningUtils::WarningHandlerGuard guard(&silence);
    refuse_the_rest(aten);  // first, while stock kernels are still registered: it calls them when exactness is off
    add_contractions(kernels);
    add_sums(kernels);
    add_meetings(kernels);
    add_vector_norms(kernels);
    add_softmax(kernels);
    add_losses(kernels);
    add_scatters(kernels);
    add_attention(kernels);
    add_layer_norms(kernels);
    add_elementwise(kernels);
    add_optimizers(kernels);
  }
};

// Never destroyed: LibTorch threads may outlive main.
const Installed& installed() {
  static const auto* once = new Installed;
  return *once;
}

}  // namespace

void install_exact_kernels() { installed(); }

const std::set<std::string>& exact_kernels() { return installed().kernels.names(); }

}  // namespace ordercheck::ranks
