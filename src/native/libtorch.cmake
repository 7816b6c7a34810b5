# LibTorch, found without its own CMake package: that one demands a CUDA toolkit wherever the wheel was built with CUDA,
# and a GPU (or a list of architectures) wherever there is a toolkit. The native engine needs neither on a CPU.
#
# Searched: ORDERCHECK_TORCH, then every folder of CMAKE_PREFIX_PATH, itself or two above (torch/share/cmake, as
# torch.utils.cmake_prefix_path says). Gives the target ordercheck_torch and TORCH_FOUND_VERSION.
set(ORDERCHECK_TORCH "" CACHE PATH "Folder with LibTorch's include/ and lib/, such as site-packages/torch")
set(ORDERCHECK_TORCH_OLDEST 2.11.0)

set(torch_candidates ${ORDERCHECK_TORCH})
foreach(prefix ${CMAKE_PREFIX_PATH} $ENV{CMAKE_PREFIX_PATH})
  get_filename_component(two_above ${prefix}/../.. ABSOLUTE)
  list(APPEND torch_candidates ${prefix} ${two_above})
endforeach()
set(torch_root "")
foreach(candidate ${torch_candidates})
  if(EXISTS ${candidate}/include/ATen/ATen.h AND EXISTS ${candidate}/lib/libtorch_cpu.so)
    set(torch_root ${candidate})
    break()
  endif()
endforeach()
if(NOT torch_root)
  message(FATAL_ERROR "LibTorch: expected include/ATen/ATen.h and lib/libtorch_cpu.so under ORDERCHECK_TORCH or a "
                      "folder of CMAKE_PREFIX_PATH, found none in [${torch_candidates}]; run scripts/ordercheck, which "
                      "sets it up, or configure the preset core, which needs none")
endif()

set(torch_version_header ${torch_root}/include/torch/headeronly/version.h)
if(NOT EXISTS ${torch_version_header})
  message(FATAL_ERROR "LibTorch at ${torch_root}: expected version ${ORDERCHECK_TORCH_OLDEST} or newer, but it has no "
                      "include/torch/headeronly/version.h, so it is older; install torch>=${ORDERCHECK_TORCH_OLDEST}")
endif()
file(STRINGS ${torch_version_header} version_lines REGEX "#define TORCH_VERSION_(MAJOR|MINOR|PATCH) ")
string(REGEX REPLACE "[^0-9;]" "" version_lines "${version_lines}")
string(REPLACE ";" "." TORCH_FOUND_VERSION "${version_lines}")
if(TORCH_FOUND_VERSION VERSION_LESS ORDERCHECK_TORCH_OLDEST)
  message(FATAL_ERROR "LibTorch at ${torch_root}: expected version ${ORDERCHECK_TORCH_OLDEST} or newer, got "
                      "${TORCH_FOUND_VERSION}; install torch>=${ORDERCHECK_TORCH_OLDEST}")
endif()
message(STATUS "LibTorch ${TORCH_FOUND_VERSION} at ${torch_root}")

# Only torch_cpu and c10: without the CUDA libraries a worker starts in two thirds of the time.
add_library(ordercheck_torch INTERFACE)
target_include_directories(ordercheck_torch SYSTEM INTERFACE ${torch_root}/include
                                                             ${torch_root}/include/torch/csrc/api/include)
target_link_libraries(ordercheck_torch INTERFACE ${torch_root}/lib/libtorch_cpu.so ${torch_root}/lib/libc10.so
                                                 Threads::Threads)
target_link_options(ordercheck_torch INTERFACE -Wl,-rpath,${torch_root}/lib)
target_compile_definitions(ordercheck_torch INTERFACE USE_C10D USE_DISTRIBUTED)
