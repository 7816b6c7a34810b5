#include "device/fake_device.h"

#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/DeviceType.h>

#include "device/fake_autocast.h"
#include "device/fake_guard.h"
#include "device/fake_kernels.h"
#include "device/fake_memory.h"
#include "device/host_access.h"
#include "native/arith/install.h"

namespace ordercheck::ranks {
namespace {

struct Hooks final : at::PrivateUse1HooksInterface {
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
  c10::DeviceIndex deviceCount() const override { return 1; }
  c10::DeviceIndex getCurrentDevice() const override { return 0; }
  void setCurrentDevice(c10::DeviceIndex) const override {}
  c10::DeviceIndex exchangeDevice(c10::DeviceIndex) const override { return 0; }
  c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex) const override { return 0; }
  c10::Device getDeviceFromPtr(void*) const override { return fake::kDevice; }
};

bool install() {
  install_exact_kernels();  // kernels of the device are the CPU's as they are when it is installed
  c10::register_privateuse1_backend(kFakeDevice);
  c10::SetAllocator(c10::DeviceType::PrivateUse1, &fake::allocator());
  fake::register_guard();
  static Hooks hooks;
  at::RegisterPrivateUse1HooksInterface(&hooks);
  fake::register_kernels();
  fake::register_autocast();
  fake::name_host_accesses();
  return true;
}

}  // namespace

c10::Device install_fake_device() {
  static const bool installed = install();
  (void)installed;
  return fake::kDevice;
}

}  // namespace ordercheck::ranks
