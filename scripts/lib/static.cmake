# A program that needs glibc alone, as that of a wheel has to.
add_library(ordercheck_fmt STATIC scripts/lib/fmt.cpp)
target_compile_definitions(ordercheck_fmt PUBLIC $<TARGET_PROPERTY:fmt::fmt,INTERFACE_COMPILE_DEFINITIONS>)
target_include_directories(ordercheck_fmt PUBLIC $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)
set(fmt ordercheck_fmt)
set(pugixml pugixml::static)
find_library(ORDERCHECK_YAML libyaml-cpp.a REQUIRED)
set(yaml ${ORDERCHECK_YAML})
find_library(ORDERCHECK_XXHASH libxxhash.a REQUIRED)
set(xxhash ${ORDERCHECK_XXHASH})

# What nothing calls is left out: parts of libstdc++ ask for a newer glibc.
add_link_options(-static-libstdc++ -static-libgcc LINKER:--gc-sections)

# Licences of what is linked in, which go with the wheel; Debian keeps one for each package.
foreach(package libboost-graph-dev libcli11-dev libfmt-dev libkainjow-mustache-dev libpugixml-dev libtomlplusplus-dev libutfcpp-dev
                libvalijson-dev libxxhash-dev libyaml-cpp-dev nlohmann-json3-dev)
  if(EXISTS /usr/share/doc/${package}/copyright)
    install(FILES /usr/share/doc/${package}/copyright DESTINATION share/doc/ordercheck RENAME ${package}.copyright)
  endif()
endforeach()
