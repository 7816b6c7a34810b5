# cmake --install, a Debian package, and what the wheel holds: bin/ordercheck, and share/ordercheck laid out as the checkout
# is, where src/matrix/engine_spec.h looks for it.
set(home share/ordercheck)
install(DIRECTORY rules matrix report_templates DESTINATION ${home} PATTERN __pycache__ EXCLUDE)
install(DIRECTORY src/python/ordercheck/recorder DESTINATION ${home}/src/python/ordercheck
        FILES_MATCHING PATTERN *.py PATTERN __pycache__ EXCLUDE)
install(DIRECTORY src/drivers DESTINATION ${home}/src FILES_MATCHING PATTERN *.py PATTERN *.tsv PATTERN __pycache__ EXCLUDE)

install(TARGETS ordercheck RUNTIME DESTINATION bin)
if(NOT ORDERCHECK_STATIC)
  if(ORDERCHECK_RANKS)
    install(TARGETS ordercheck-ranks RUNTIME DESTINATION bin)
  endif()
  install(CODE "set(program \"$<TARGET_FILE:ordercheck>\")\nset(page \"${CMAKE_BINARY_DIR}/ordercheck.1\")\nset(version ${PROJECT_VERSION})")
  install(SCRIPT ${CMAKE_CURRENT_LIST_DIR}/man_page.cmake)
  install(FILES ${CMAKE_BINARY_DIR}/ordercheck.1 DESTINATION share/man/man1)
  install(FILES LICENSE DESTINATION share/doc/ordercheck RENAME copyright)
endif()

# A package needs the program alone, not the tests.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "the ordercheck authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Checks the order in which parallelism and wrappers are applied to a model")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS python3)
include(CPack)
