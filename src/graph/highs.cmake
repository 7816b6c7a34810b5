# HiGHS: the folder that ORDERCHECK_HIGHS names, with include/highs/ and lib/libhighs.so as PyPI's highsbox ships them, or what
# find_package finds, such as Debian's libhighs-dev. Gives the target ordercheck_highs, or says why there is none.
set(ORDERCHECK_HIGHS "" CACHE PATH "Folder with HiGHS's include/ and lib/, such as site-packages/highsbox/highs_dist")

if(ORDERCHECK_HIGHS)
  if(NOT EXISTS ${ORDERCHECK_HIGHS}/include/highs/Highs.h OR NOT EXISTS ${ORDERCHECK_HIGHS}/lib/libhighs.so)
    message(FATAL_ERROR "HiGHS: expected include/highs/Highs.h and lib/libhighs.so in ORDERCHECK_HIGHS=${ORDERCHECK_HIGHS}; "
                        "run scripts/ordercheck, which sets it up, or leave it out")
  endif()
  message(STATUS "HiGHS at ${ORDERCHECK_HIGHS}")
  add_library(ordercheck_highs INTERFACE)
  target_include_directories(ordercheck_highs SYSTEM INTERFACE ${ORDERCHECK_HIGHS}/include/highs)
  target_link_libraries(ordercheck_highs INTERFACE ${ORDERCHECK_HIGHS}/lib/libhighs.so)
  target_link_options(ordercheck_highs INTERFACE -Wl,-rpath,${ORDERCHECK_HIGHS}/lib)
else()
  find_package(highs CONFIG QUIET)
  if(highs_FOUND)
    message(STATUS "HiGHS ${highs_VERSION} at ${highs_DIR}")
    add_library(ordercheck_highs INTERFACE)
    target_link_libraries(ordercheck_highs INTERFACE highs::highs)
  else()
    message(STATUS "HiGHS: ORDERCHECK_HIGHS names no folder and find_package finds none, so placements of auto_parallel are not built; "
                   "scripts/ordercheck sets it up")
  endif()
endif()
