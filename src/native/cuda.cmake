# What a GPU needs: nvcc, and a LibTorch that was built with CUDA. Without either, configuring says so and stops.
#
# arith/cuda/ and world/nccl/ have what any compiler builds, their two folders what one of them does: toolkit/ with CUDA, without/ in
# its place.
# Libraries are taken from beside LibTorch, whose own they are, and from the toolkit where it has none.
option(ORDERCHECK_CUDA "Build the native engine's worker for GPUs" OFF)

foreach(room arith_cuda world_nccl)
  string(REPLACE "_" "/" folder ${room})
  file(GLOB ${room}_without CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/without/*.cpp)
  file(GLOB ${room}_toolkit CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/toolkit/*.cpp)
  if(NOT ORDERCHECK_CUDA)
    target_sources(ordercheck_native_${room} PRIVATE ${${room}_without})
  endif()
endforeach()
file(GLOB cuda_kernels CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/arith/cuda/toolkit/*.cu)
if(NOT ORDERCHECK_CUDA)
  return()
endif()

find_program(ORDERCHECK_NVCC nvcc HINTS $ENV{CUDA_HOME}/bin $ENV{CUDA_PATH}/bin PATHS /usr/local/cuda/bin)
if(NOT ORDERCHECK_NVCC)
  message(FATAL_ERROR "CUDA: expected nvcc on the PATH, in CUDA_HOME/bin or in /usr/local/cuda/bin, found none; install the "
                      "CUDA Toolkit, or configure the preset cpu, which needs none")
endif()
if(NOT EXISTS ${torch_root}/lib/libtorch_cuda.so)
  message(FATAL_ERROR "CUDA: expected lib/libtorch_cuda.so under ${torch_root}, found none: this LibTorch was built for "
                      "CPUs alone; install one with CUDA, or configure the preset cpu")
endif()
execute_process(COMMAND ldd ${torch_root}/lib/libtorch_cuda.so OUTPUT_VARIABLE needed ERROR_QUIET)
string(REGEX MATCHALL "[^ \t\n]+ => not found" missing "${needed}")
if(missing)
  string(REPLACE " => not found" "" missing "${missing}")
  list(REMOVE_DUPLICATES missing)
  list(JOIN missing ", " missing)
  message(FATAL_ERROR "CUDA: ${torch_root}/lib/libtorch_cuda.so needs ${missing}, found none of these; install the packages "
                      "that torch asks pip for")
endif()

# No product and sum in one rounding, as in the CPU's kernels. nvcc knows no other option that would change a float64.
set(CMAKE_CUDA_COMPILER ${ORDERCHECK_NVCC})
if(CCACHE)
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE})
endif()
enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)
add_library(ordercheck_native_cuda_kernels OBJECT ${cuda_kernels})
# CMake 3.25 knows no later dialect of nvcc's.
set_target_properties(ordercheck_native_cuda_kernels PROPERTIES CUDA_STANDARD 17 CUDA_EXTENSIONS OFF)
target_include_directories(ordercheck_native_cuda_kernels PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_compile_options(ordercheck_native_cuda_kernels PRIVATE --fmad=false -Xcompiler=-Wall,-ffp-contract=off)
set(ORDERCHECK_CUDA_KERNELS $<TARGET_OBJECTS:ordercheck_native_cuda_kernels>)
set_property(GLOBAL APPEND PROPERTY ORDERCHECK_NATIVE_OBJECTS ${ORDERCHECK_CUDA_KERNELS})

# Sets <variable> to a library of NVIDIA's and, where its package has headers, <variable>_INCLUDE to them.
function(ordercheck_cuda_library variable name)
  file(GLOB beside_torch ${torch_root}/../nvidia/*/lib/lib${name}.so.* ${torch_root}/lib/lib${name}*.so*)
  file(GLOB of_toolkit ${CUDAToolkit_LIBRARY_DIR}/lib${name}.so ${CUDAToolkit_LIBRARY_DIR}/lib${name}.so.*
       /usr/lib/x86_64-linux-gnu/lib${name}.so*)
  set(found ${beside_torch} ${of_toolkit})
  if(NOT found)
    message(FATAL_ERROR "CUDA: expected lib${name}.so beside ${torch_root} or in ${CUDAToolkit_LIBRARY_DIR}, found none")
  endif()
  list(GET found 0 library)
  get_filename_component(folder ${library} DIRECTORY)
  set(${variable} ${library} PARENT_SCOPE)
  set(${variable}_INCLUDE ${folder}/../include PARENT_SCOPE)
endfunction()
ordercheck_cuda_library(cudart cudart)
ordercheck_cuda_library(cublas cublas)
ordercheck_cuda_library(nccl nccl)
if(NOT EXISTS ${nccl_INCLUDE}/nccl.h)
  list(GET CUDAToolkit_INCLUDE_DIRS 0 nccl_INCLUDE)
endif()

# Headers of CUDA for these sources alone: all others compile as in the preset cpu, and are found in ccache.
foreach(room arith_cuda world_nccl)
  target_sources(ordercheck_native_${room} PRIVATE ${${room}_toolkit})
  set_source_files_properties(${${room}_toolkit} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON
                              COMPILE_DEFINITIONS "USE_CUDA;USE_C10D_NCCL"
                              INCLUDE_DIRECTORIES "${nccl_INCLUDE};${CUDAToolkit_INCLUDE_DIRS}")
endforeach()

# Kernels register themselves while libtorch_cuda is loaded: it is needed though nothing of it is named.
add_library(ordercheck_torch_cuda INTERFACE)
target_link_libraries(ordercheck_torch_cuda INTERFACE -Wl,--push-state,--no-as-needed ${torch_root}/lib/libtorch_cuda.so -Wl,--pop-state
                                                      ${torch_root}/lib/libc10_cuda.so ${nccl} ${cublas} ${cudart})
target_compile_definitions(ordercheck_torch_cuda INTERFACE ORDERCHECK_CUDA)
foreach(library ${nccl} ${cublas} ${cudart})
  get_filename_component(folder ${library} DIRECTORY)
  target_link_options(ordercheck_torch_cuda INTERFACE -Wl,-rpath,${folder})
endforeach()
message(STATUS "CUDA ${CUDAToolkit_VERSION} for ${CMAKE_CUDA_ARCHITECTURES}, ${nccl}")
